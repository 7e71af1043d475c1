/// What can be done with a cart.
public enum CartAction: Sendable, Equatable {
    /// Puts one more of a product in.
    case add(Product)
    /// Says how many of a product; none takes it out.
    case setQuantity(Product.ID, Int)
    /// Takes everything out.
    case empty
}
