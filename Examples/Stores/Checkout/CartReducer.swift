public import Stores

/// The rules of a cart.
public struct CartReducer: Reducer {
    /// How many of one product a cart holds.
    public static let mostOfOne = 99
    /// How many products a cart holds.
    public static let mostLines = 50

    /// A reducer without anything to choose.
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
            // The latest price is the one that counts.
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
