import JSON
public import RemoteServices
public import Stores

/// An order.
public struct Order: Sendable, Equatable {
    /// Its number, unique in the checkout.
    public let number: Int
    /// The total in cents.
    public let total: Int

    /// - Parameter total: in cents.
    public init(number: Int, total: Int) {
        self.number = number
        self.total = total
    }
}

/// The receipt of the payment service.
public struct PaymentReceipt: Identifiable, Sendable, Equatable {
    /// The order.
    public let order: Order
    /// The reference of the payment service.
    public let reference: String

    /// A receipt.
    public init(_ order: Order, reference: String) {
        self.order = order
        self.reference = reference
    }

    /// The number of the order: each has one receipt.
    public var id: Int { order.number }
}

/// The reason of a failed payment.
public enum PaymentError: Error, Sendable, Equatable {
    /// The payment service refused.
    case declined
    /// The call failed, or the response was unusable.
    case unavailable(RemoteFailure.Code)
    /// It took too long.
    case tooSlow
}

/// The rules of payment: the cart does not change while it is paid for.
public struct PaymentReducer: Reducer {
    /// A reducer without parameters.
    public init() {}

    public func decide(_ action: CheckoutAction, in state: CheckoutState) -> Decision {
        switch (action, state.stage) {
        case (.cart, .paying): .reject("payment-under-way")
        case (.pay, .paying): .ignore
        case (.pay, _): state.cart.present.lines.isEmpty ? .reject("cart-empty") : .accept
        case (.paid(let receipt), .paying(let order)): receipt.order == order ? .accept : .ignore
        case (.paymentFailed, .paying), (.acknowledge, .paid), (.acknowledge, .failed): .accept
        // The reducer of the cart decides on changes of the cart.
        case (.cart, _): .follow
        case (.paid, _), (.paymentFailed, _), (.acknowledge, _): .ignore
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
            // With its history, so an undo cannot restore a cart that was paid for.
            state.cart = History(Cart())
        case .paymentFailed(let error):
            state.stage = .failed(error)
        case .acknowledge:
            state.stage = .shopping
        }
    }
}

/// Calls the payment service after the reducer has accepted the payment.
public struct PaymentMiddleware: Middleware {
    /// The id of the effect.
    public static let payment: EffectID = "checkout.pay"

    private let service: PaymentService
    private let timeout: Duration

    /// - Parameter timeout: the deadline of a call.
    public init(_ service: PaymentService, timeout: Duration = .seconds(30)) {
        self.service = service
        self.timeout = timeout
    }

    public func respond(to commit: borrowing Commit<CheckoutState, CheckoutAction>) -> Effect<CheckoutAction> {
        guard case .pay = commit.action else { return .none }
        return payment(for: commit.state.stage)
    }

    /// Repeats an interrupted call. The order has the same number, so it is paid once.
    public func resume(_ state: CheckoutState) -> Effect<CheckoutAction> { payment(for: state.stage) }

    private func payment(for stage: CheckoutState.Stage) -> Effect<CheckoutAction> {
        guard case .paying(let order) = stage else { return .none }
        // Leading: there is never a second call at the same time.
        return .run(
            Self.payment, .leading,
            { [service] () async throws(PaymentError) -> CheckoutAction? in .paid(try await service.pay(order)) },
            failure: { .paymentFailed($0) }
        )
        .deadline(timeout, else: .paymentFailed(.tooSlow))
    }
}

/// The client of a payment service. The response to `{"order":7,"total":1250}` is `{"reference":"…"}`, or status 402.
public struct PaymentService: Sendable {
    private let client: any RemoteClient

    /// - Parameter client: the client of the service, or a scripted one.
    public init(_ client: any RemoteClient) { self.client = client }

    /// Charges an order.
    ///
    /// - Throws: the reason of a failed payment.
    public func pay(_ order: Order) async throws(PaymentError) -> PaymentReceipt {
        let answer = try await ask(for: order)
        if answer.status == 402 { throw .declined }
        guard answer.isSuccess else { throw .unavailable(.badStatus) }
        guard let json = try? JSONValue(parsing: answer.body), let reference = json.asObject?["reference"]?.asString
        else { throw .unavailable(.badBody) }
        return PaymentReceipt(order, reference: reference)
    }

    private func ask(for order: Order) async throws(PaymentError) -> RemoteResponse {
        var json = JSONWriter()
        json.object { json in
            json.member("order", order.number)
            json.member("total", order.total)
        }
        let request = RemoteRequest(method: "POST", body: json.finish(), contentType: "application/json")
        do throws(RemoteFailure) {
            return try await client.call(request)
        } catch {
            throw .unavailable(error.code)
        }
    }
}
