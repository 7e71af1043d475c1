public import Stores

/// A cart on its way to being paid.
public struct CheckoutState: Sendable, Equatable {
    /// How far it is.
    public enum Stage: Sendable, Equatable {
        /// The cart is being filled.
        case shopping
        /// The payment service is asked to take the money.
        case paying(Order)
        /// The money was taken.
        case paid(PaymentReceipt)
        /// The money was not taken; the cart is as it was.
        case failed(PaymentError)
    }

    /// The cart, with undo and redo.
    public var cart = History(Cart())
    /// How far the checkout is.
    public var stage = Stage.shopping
    /// Numbers the order that comes next. It changes with the cart: after a failure the same cart is the same order, and
    /// the payment service takes the money of an order once, however often it is asked.
    public var orderNumber = 1
    /// What was paid, by order.
    public var receipts = EntityTable<PaymentReceipt>()

    /// An empty cart.
    public init() {}

    /// Whether the payment service is being asked.
    public var isPaying: Bool {
        if case .paying = stage { true } else { false }
    }

    /// What must hold after each action, whatever the rules are.
    public static let invariants: [Invariant<CheckoutState>] = [
        Invariant("negative-total") { $0.cart.present.total >= 0 },
        Invariant("bought-twice") { state in
            guard case .paying(let order) = state.stage else { return true }
            return !state.receipts.contains(order.number)
        },
    ]
}
