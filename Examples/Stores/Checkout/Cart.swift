public import Stores

/// A cart.
public struct Cart: Sendable, Equatable {
    /// One line for each product, in the order of adding.
    public var lines: EntityTable<CartLine>

    /// A cart with these lines.
    public init(_ lines: [CartLine] = []) { self.lines = EntityTable(lines) }

    /// The total in cents.
    public var total: Int { lines.ordered.reduce(0) { $0 + $1.total } }
}

/// A product in a cart with its quantity.
public struct CartLine: Identifiable, Sendable, Equatable {
    /// The product.
    public var product: Product
    /// The quantity.
    public var quantity: Int

    /// A line.
    public init(_ product: Product, quantity: Int = 1) {
        self.product = product
        self.quantity = quantity
    }

    /// The id of the product.
    public var id: Product.ID { product.id }

    /// The total of the line in cents.
    public var total: Int { Int(product.price) * quantity }
}

/// A product.
public struct Product: Identifiable, Sendable, Equatable {
    /// Its number.
    public let id: Int
    /// Its name.
    public let name: String
    /// The price in cents. 32 bits, so the total of a cart always fits in an `Int`.
    public let price: Int32

    /// - Parameter price: in cents.
    public init(_ id: Int, _ name: String, price: Int32) {
        self.id = id
        self.name = name
        self.price = price
    }
}

/// The actions of a cart.
public enum CartAction: Sendable, Equatable {
    /// Adds one of a product.
    case add(Product)
    /// Sets the quantity of a product; 0 removes it.
    case setQuantity(Product.ID, Int)
    /// Empties the cart.
    case empty
}

/// The rules of a cart.
public struct CartReducer: Reducer {
    /// The maximum quantity of one product.
    public static let mostOfOne = 99
    /// The maximum number of products.
    public static let mostLines = 50

    /// A reducer without parameters.
    public init() {}

    public func decide(_ action: CartAction, in cart: Cart) -> Decision {
        switch action {
        case .add(let product):
            guard let line = cart.lines[product.id] else {
                return cart.lines.count < Self.mostLines ? .accept : .reject("cart-full")
            }
            return line.quantity < Self.mostOfOne ? .accept : .reject("too-many")
        case .setQuantity(let id, let quantity):
            guard let line = cart.lines[id] else { return .reject("not-in-cart") }
            guard (0...Self.mostOfOne).contains(quantity) else { return .reject("too-many") }
            return line.quantity == quantity ? .ignore : .accept
        case .empty:
            return cart.lines.isEmpty ? .ignore : .accept
        }
    }

    public func reduce(_ cart: inout Cart, _ action: CartAction) {
        switch action {
        case .add(let product):
            // The latest price counts.
            cart.lines.upsert(CartLine(product)) { standing, added in
                standing.product = added.product
                standing.quantity += added.quantity
            }
        case .setQuantity(let id, 0): cart.lines.remove(id)
        case .setQuantity(let id, let quantity): cart.lines.update(id) { $0.quantity = quantity }
        case .empty: cart = Cart()
        }
    }
}
