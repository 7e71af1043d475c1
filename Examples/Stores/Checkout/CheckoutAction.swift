public import Stores

/// What can happen in a checkout.
public enum CheckoutAction: Sendable, Equatable {
    /// The cart changes, or a change is undone.
    case cart(UndoableAction<CartAction>)
    /// The buyer pays for the cart.
    case pay
    /// The money was taken.
    case paid(PaymentReceipt)
    /// The money was not taken.
    case paymentFailed(PaymentError)
    /// The buyer has seen how the payment ended.
    case acknowledge
}

extension CasePath<CheckoutAction, UndoableAction<CartAction>> {
    /// The way to the actions of the cart.
    public static var cart: Self {
        Self(embed: { .cart($0) }, lend: { if case .cart(let action) = $0 { $1(action) } })
    }
}
