import Cluster
import HTTP
import HTTPServer
import Sockets

/// Gets the outcome of a request to another node, once. On the loop of the request only.
protocol ForwardedRequestOwner: AnyObject {
    /// Whether the connection of a request that is not answered in time gets no more requests.
    var distrustsSilence: Bool { get }
    func ended(_ request: ForwardedRequest, _ outcome: ForwardedRequest.Outcome)
}

/// A request on its way to another node. On its client's loop only.
final class ForwardedRequest {
    /// The outcome of a request.
    enum Outcome {
        case response(Response)
        /// The response is a stream.
        case stream(Response, LinkedStream)
        /// The other node does not have the session, and has done nothing.
        case notHere
        /// The other node cannot be reached, so it has done nothing.
        case notSent
        /// The other node has done it, and the output budget has no room for its response.
        case noRoom
        /// The other node has not answered: it may have done it.
        case unknown
    }

    let message: LinkedMessage
    /// Counts the response while it is collected. A long one that it does not admit is not.
    let output: OutputBudget
    private let loop: any EventLoop
    /// Nil once it has the outcome.
    private var owner: (any ForwardedRequestOwner)?
    private var timer: LoopTimer?
    /// Where it was sent; nil while it waits for a connection.
    private var sent: LinkedStream?
    /// The response so far, and the length of its body.
    private var response: (head: Response, length: Int)?
    private var body: [UInt8] = []
    /// How many bytes of the body the output budget counts, as the client gets it as soon as it is complete.
    private var countedBytes = 0
    /// Takes over once the response is a stream.
    @exclusivity(unchecked) private(set) var relay: (any LinkedStreamReceiver)?

    /// - Parameter timeout: how long to wait for the response.
    init(
        _ message: LinkedMessage, counting output: OutputBudget, on loop: any EventLoop, within timeout: Duration,
        for owner: any ForwardedRequestOwner
    ) {
        self.message = message
        self.output = output
        self.loop = loop
        self.owner = owner
        timer = loop.schedule(after: timeout) { [self] in abandon() }
    }

    /// Whether somebody still waits for it.
    var isAwaited: Bool { owner != nil }

    func wasSent(as stream: LinkedStream) { sent = stream }

    func end(_ outcome: Outcome) {
        if let timer { loop.cancel(timer) }
        timer = nil
        stopCollecting()
        owner.take()?.ended(self, outcome)
    }

    private func abandon() {
        guard let sent else { return end(.notSent) }
        if owner?.distrustsSilence == true { sent.abandon() } else { sent.cancel() }
        end(.unknown)
    }

    /// Passes the body on as it comes.
    func stream(to relay: any LinkedStreamReceiver) { self.relay = relay }
}

// The response.
extension ForwardedRequest {
    /// - Returns: false if the other end is no node.
    func started(_ head: UnsafeRawBufferPointer, _ length: Int?, _ piece: UnsafeRawBufferPointer) -> Bool {
        guard let response = Response(forwardedHead: head) else { return false }
        guard let sent else { return true }
        guard let length else {
            end(.stream(response, sent))
            if relay == nil { sent.cancel() }
            return true
        }
        guard isAwaited else {
            if length > piece.count { sent.cancel() }
            return true
        }
        // A long body is not collected if it could not be passed on.
        guard length <= HTTPConnectionStateMachine.maxPendingResponseBytes || output.admits(length) else {
            sent.cancel()
            end(.noRoom)
            return true
        }
        if length > piece.count {
            countedBytes = length
            output.add(length)
            body.reserveCapacity(min(length, 1 << 20))
            sent.take(piece.count)
        }
        self.response = (response, length)
        add(piece)
        return true
    }

    func received(_ piece: UnsafeRawBufferPointer) {
        if let relay {
            guard relay.received(StreamPiece(piece)) else { return }
        } else {
            add(piece)
        }
        sent?.take(piece.count)
    }

    private func add(_ piece: UnsafeRawBufferPointer) {
        guard let response else { return }
        body.append(contentsOf: piece)
        guard body.count == response.length else { return }
        var whole = response.head
        whole.body = stopCollecting()
        end(whole.status == .misdirectedRequest ? .notHere : .response(whole))
    }

    @discardableResult
    private func stopCollecting() -> [UInt8] {
        if countedBytes > 0 { output.add(-countedBytes) }
        (response, countedBytes) = (nil, 0)
        defer { body = [] }
        return body
    }

    /// The connection has closed, or the other node sends no more.
    func ended() {
        if let relay = relay.take() { return relay.sourceEnded() }
        end(.unknown)
    }
}

/// Receives the body of a response that is a stream. On its loop only.
protocol LinkedStreamReceiver: AnyObject {
    /// - Returns: false if it keeps the piece for now. It takes its bytes later.
    func received(_ piece: StreamPiece) -> Bool
    /// The other node has ended the stream, or is gone.
    func sourceEnded()
}

/// A piece of a stream, for all clients that get it.
struct StreamPiece {
    /// The piece in the chunked coding, and where it is in that.
    let chunk: [UInt8]
    let payload: Range<Int>
    /// Whether it came once for several streams.
    let isShared: Bool

    init(_ bytes: UnsafeRawBufferPointer, isShared: Bool = false) {
        self.isShared = isShared
        (chunk, payload) = ChunkedCoding.framed(bytes)
    }

    var bytes: ArraySlice<UInt8> { chunk[payload] }
}

/// One request on a connection to another node. On the loop of the connection only.
struct LinkedStream {
    let link: CallingLink
    let number: UInt32

    /// Bytes of the response were taken, so that more can come.
    func take(_ byteCount: Int) { link.take(number, byteCount) }

    /// Nobody awaits anything any more.
    func cancel() { link.cancel(number) }

    /// The other node has not answered in time.
    func abandon() { link.abandon(number) }
}
