/// Collects the body of one request, sized or chunked (RFC 9112, sections 6 and 7).
///
/// The caller owns the input: it gives ``decode(_:)`` the bytes after the head, then each time those that were not
/// consumed and what came since. Memory follows what has arrived, not what was announced.
package struct BodyDecoder: Sendable {
    /// What came of the bytes so far.
    package enum Step: Sendable, Hashable {
        /// The body is not complete. The first `consumed` bytes are done with; give the others again, with more.
        case needMore(consumed: Int)
        /// The body is complete. What follows the first `consumed` bytes is the next request.
        case done(consumed: Int)
        /// The body is refused, and nobody knows where the next request starts: the connection must be closed.
        case failed(RequestFailure)
    }

    /// What is decoded so far; the whole body once it is done.
    package private(set) var body: [UInt8] = []
    private var remaining = 0
    private var chunks: ChunkedDecoder?

    /// Makes a decoder of the body that a head announces.
    package init(_ framing: BodyFraming, limits: HTTPLimits) {
        switch framing {
        case .none: break
        case .length(let length): remaining = length
        case .chunked: chunks = ChunkedDecoder(limits: limits)
        }
    }

    /// Reads on.
    ///
    /// - Parameter bytes: all bytes not consumed yet.
    package mutating func decode(_ bytes: UnsafeRawBufferPointer) -> Step {
        do throws(RequestFailure) {
            if let step = try chunks?.decode(bytes, into: &body) { return step }
        } catch {
            return .failed(error)
        }
        let taken = min(remaining, bytes.count)
        body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
        remaining -= taken
        return remaining == 0 ? .done(consumed: taken) : .needMore(consumed: taken)
    }
}
