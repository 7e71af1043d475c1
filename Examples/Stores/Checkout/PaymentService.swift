import JSON
public import RemoteServices
import Stores

/// Speaks to a payment service: `{"order":7,"total":1250}` is answered with `{"reference":"…"}`, or with status 402.
public struct PaymentService: Sendable {
    private let client: any RemoteClient

    /// - Parameter client: the way to the service, an adapter or a test's script.
    public init(_ client: any RemoteClient) { self.client = client }

    /// Takes the money of an order.
    ///
    /// - Throws: why it was not taken.
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
