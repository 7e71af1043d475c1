public import Stores

/// A cart and its payment.
public struct CheckoutState: Sendable, Equatable {
    /// The phases.
    public enum Stage: Sendable, Equatable {
        /// The cart is being filled.
        case shopping
        /// The payment service is called.
        case paying(Order)
        /// The payment succeeded.
        case paid(PaymentReceipt)
        /// The payment failed. The cart is unchanged.
        case failed(PaymentError)
    }

    /// The cart, with undo and redo.
    public var cart = History(Cart())
    /// The phase.
    public var stage = Stage.shopping
    /// The number of the next order. It changes with the cart, so a retry of the same cart is the same order, which the payment
    /// service charges only once.
    public var orderNumber = 1
    /// The receipts by order.
    public var receipts = EntityTable<PaymentReceipt>()

    /// An empty cart.
    public init() {}

    /// Whether the payment service is called now.
    public var isPaying: Bool {
        if case .paying = stage { true } else { false }
    }

    /// The invariants, checked after each action.
    public static let invariants: [Invariant<CheckoutState>] = [
        Invariant("negative-total") { $0.cart.present.total >= 0 },
        Invariant("bought-twice") { state in
            guard case .paying(let order) = state.stage else { return true }
            return !state.receipts.contains(order.number)
        },
    ]
}

/// The actions of a checkout.
public enum CheckoutAction: Sendable, Equatable {
    /// The cart changes, or a change is undone.
    case cart(UndoableAction<CartAction>)
    /// The buyer pays for the cart.
    case pay
    /// The payment succeeded.
    case paid(PaymentReceipt)
    /// The payment failed.
    case paymentFailed(PaymentError)
    /// The buyer acknowledges the result of the payment.
    case acknowledge
}

extension CasePath<CheckoutAction, UndoableAction<CartAction>> {
    /// The path to the actions of the cart.
    public static var cart: Self {
        Self(embed: { .cart($0) }, extract: { if case .cart(let action) = $0 { $1(action) } })
    }
}

/// The rules of a checkout: payment, a cart with undo and redo, and invariants.
public struct CheckoutReducer: ComposedReducer {
    /// The maximum number of states in the history of the cart.
    public static let undoLimit = 20

    /// A reducer without parameters.
    public init() {}

    /// The parts in their order.
    public var body: some Reducer<CheckoutState, CheckoutAction> {
        Invariants(
            CheckoutState.invariants,
            of: Compose {
                PaymentReducer()
                Scope(\.cart, .cart, Undoable(CartReducer(), limit: Self.undoLimit))
            })
    }
}
