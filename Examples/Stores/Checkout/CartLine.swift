/// A product in a cart, and how many of it.
public struct CartLine: Identifiable, Sendable, Equatable {
    /// What is bought.
    public var product: Product
    /// How many.
    public var quantity: Int

    /// That many of a product.
    public init(_ product: Product, quantity: Int = 1) {
        self.product = product
        self.quantity = quantity
    }

    /// The product's.
    public var id: Product.ID { product.id }

    /// What the line costs, in cents.
    public var total: Int { Int(product.price) * quantity }
}
