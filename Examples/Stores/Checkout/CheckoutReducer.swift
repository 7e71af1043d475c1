public import Stores

/// The rules of a checkout: those of paying, those of the cart with undo and redo, and what must hold in any case.
public struct CheckoutReducer: ComposedReducer {
    /// How many states of the cart are kept to go back or forth to.
    public static let undoLimit = 20

    /// A reducer without anything to choose.
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
