import HTTP
import Platform
import Sockets

// The bytes that a connection holds of requests which are not answered.
extension HTTPConnection {
    /// How many bytes a cut frees.
    var cuttableInput: Int {
        stream.map { $0.unfinishedInput?.byteCount ?? 0 } ?? Int(heldInput) - Int(awaitedBodyBytes)
    }

    /// For how long it has held them, at most.
    var inputAge: Duration {
        (stream?.unfinishedInput?.since ?? max(timeoutStart, requestStart)).duration(to: now)
    }

    /// - Parameter unconsumed: how many bytes stay with the channel.
    func countInput(unconsumed: Int) {
        // A channel that closes keeps none of them.
        guard channel?.isOpen == true else { return releaseInput() }
        hold(unconsumed + (partial?.heldBytes ?? 0) + Int(awaitedBodyBytes))
    }

    /// Nothing is held any more, because the connection ends.
    func releaseInput() { hold(0) }

    /// The body of the request that awaits its response stays in memory until then.
    func holdBody(_ byteCount: Int) {
        guard byteCount > InputBudget.uncountedBody else { return }
        awaitedBodyBytes = Int32(clamping: byteCount)
        hold(Int(heldInput) + Int(awaitedBodyBytes))
    }

    func releaseBody() {
        let rest = Int(heldInput) - Int(awaitedBodyBytes)
        awaitedBodyBytes = 0
        hold(max(0, rest))
    }

    private func hold(_ byteCount: Int) {
        let count = Int32(clamping: byteCount)
        guard count != heldInput else { return }
        let change = Int(count) - Int(heldInput)
        heldInput = count
        context.countInput(change)
    }

    /// Frees what it holds of requests that are not being handled. A client whose request is cut gets 503 if it can be sent.
    func cutInput() {
        if let stream { return stream.cutInput() }
        switch machine.cutInput() {
        case .refuseRequest: refuseUnfinished { .overloaded($0) }
        case .dropInput:
            channel?.dropInput()
            hold(Int(awaitedBodyBytes))
        case .none: break
        }
    }

    /// Responds to a request that has not arrived completely. The connection closes behind the response.
    func refuseUnfinished(_ failure: (RequestHead?) -> RequestFailure) {
        // A client of HTTP/2 could not read the response.
        if case .heldBack(nil)? = partial { return closeNow() }
        let head = partial.take()?.requestHead
        if head == nil { requestID = context.requestID(nil) }
        refuse(failure(head), of: head)
    }
}

extension PartialInput {
    /// The memory of the objects themselves, about.
    private static var ownBytes: Int { 256 }

    /// The head of the request, if all of it has arrived.
    var requestHead: RequestHead? {
        switch self {
        case .head: nil
        case .heldBack(let head): head
        case .body(let request): request.head
        }
    }

    /// How many bytes of memory it holds.
    var heldBytes: Int {
        switch self {
        case .head(let head): Self.ownBytes + head.parser.heldBytes
        case .heldBack(let head): Self.ownBytes + (head?.fields.heldBytes ?? 0)
        case .body(let request): Self.ownBytes + request.head.fields.heldBytes + request.decoder.heldBytes
        }
    }
}
