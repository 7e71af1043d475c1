public import Stores

/// The rules of paying, beside those of the cart: nothing changes in the cart while it is paid for.
public struct PaymentReducer: Reducer {
    /// A reducer without anything to choose.
    public init() {}

    public func decide(_ action: CheckoutAction, in state: CheckoutState) -> Decision {
        switch (action, state.stage) {
        case (.cart, .paying): .reject("payment-under-way")
        case (.pay, .paying): .ignore
        case (.pay, _): state.cart.present.lines.isEmpty ? .reject("cart-empty") : .accept
        case (.paid(let receipt), .paying(let order)): receipt.order == order ? .accept : .ignore
        case (.paymentFailed, .paying), (.acknowledge, .paid), (.acknowledge, .failed): .accept
        // What becomes of the cart is for the cart's reducer to decide.
        case (.cart, _), (.paid, _), (.paymentFailed, _), (.acknowledge, _): .ignore
        }
    }

    public func reduce(_ state: inout CheckoutState, _ action: CheckoutAction) {
        switch action {
        case .cart:
            state.stage = .shopping
            state.orderNumber += 1
        case .pay:
            state.stage = .paying(Order(number: state.orderNumber, total: state.cart.present.total))
        case .paid(let receipt):
            state.stage = .paid(receipt)
            state.receipts.insert(receipt)
            state.orderNumber += 1
            // With its history: what was paid for cannot be brought back and paid for again.
            state.cart = History(Cart())
        case .paymentFailed(let error):
            state.stage = .failed(error)
        case .acknowledge:
            state.stage = .shopping
        }
    }
}
