public import Stores

/// Has the payment service take the money once the reducer has accepted that it be paid.
public struct PaymentMiddleware: Middleware {
    /// The effect that waits for the payment service.
    public static let payment: EffectID = "checkout.pay"

    private let service: PaymentService
    private let timeout: Duration

    /// - Parameter timeout: after how long the payment service is given up.
    public init(_ service: PaymentService, timeout: Duration = .seconds(30)) {
        self.service = service
        self.timeout = timeout
    }

    public func respond(to commit: borrowing Commit<CheckoutState, CheckoutAction>) -> Effect<CheckoutAction> {
        guard case .pay = commit.action else { return .none }
        return payment(for: commit.state.stage)
    }

    /// Asks again where the process ended before an answer came: the order has the same number, so it is paid once.
    public func resume(_ state: CheckoutState) -> Effect<CheckoutAction> { payment(for: state.stage) }

    private func payment(for stage: CheckoutState.Stage) -> Effect<CheckoutAction> {
        guard case .paying(let order) = stage else { return .none }
        // Leading: while one call is under way, no second one is begun, whoever wants it.
        return .run(
            Self.payment, .leading,
            { [service] () async throws(PaymentError) -> CheckoutAction? in .paid(try await service.pay(order)) },
            failure: { .paymentFailed($0) }
        )
        .deadline(timeout, else: .paymentFailed(.tooSlow))
    }
}
