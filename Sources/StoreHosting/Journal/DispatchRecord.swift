/// The record of a request, which becomes durable together with the commits of the request.
@usableFromInline
package enum DispatchRecord: Sendable {
    /// The response to a request with an Idempotency-Key.
    case answer(IdempotencyRecord)
    /// The outcomes of entries of a client.
    indirect case client(ClientChange)

    /// The approximate number of bytes to write.
    package var byteCount: Int {
        switch self {
        case .answer(let record): record.response.count
        case .client(let change): change.byteCount
        }
    }
}
