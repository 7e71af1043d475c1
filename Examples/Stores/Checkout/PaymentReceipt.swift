/// What the payment service gave for the money of an order.
public struct PaymentReceipt: Identifiable, Sendable, Equatable {
    /// What was paid.
    public let order: Order
    /// What the payment service calls it.
    public let reference: String

    /// The receipt of that order.
    public init(_ order: Order, reference: String) {
        self.order = order
        self.reference = reference
    }

    /// The number of the order: there is one receipt for each.
    public var id: Int { order.number }
}
