/// What a payment is for.
public struct Order: Sendable, Equatable {
    /// Tells it from the other orders of the checkout.
    public let number: Int
    /// What it costs, in cents.
    public let total: Int

    /// - Parameter total: in cents.
    public init(number: Int, total: Int) {
        self.number = number
        self.total = total
    }
}
