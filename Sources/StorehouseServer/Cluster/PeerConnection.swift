import Cluster
import HTTP
import HTTPServer
import Sockets

/// A request on its way to another node. On its client's loop only.
final class ForwardedRequest {
    /// What has become of it.
    enum Outcome {
        case response(ResponseHead, body: [UInt8])
        /// The response is a stream, which ends with its connection.
        case stream(ResponseHead, PeerConnection)
        /// The other node does not have the session, and has done nothing.
        case notHere
        /// The other node cannot be reached, so it has done nothing.
        case notSent
        /// The other node has done it, and the output budget has no room for its response.
        case noRoom
        /// The other node has not answered: it may have done it.
        case unknown
    }

    let bytes: [UInt8]
    let isStream: Bool
    /// Whether it may share a connection with others: its bytes are few, and so are those of its response.
    let isShort: Bool
    /// The right of an operator that the other node takes from this one; nil for none. It is never short.
    let right: SignedRequest?
    private let loop: any EventLoop
    private var finish: ((Outcome) -> Void)?
    private var timer: LoopTimer?
    /// Where it was sent; nil while it waits for a connection.
    fileprivate weak var connection: PeerConnection?

    /// - Parameters:
    ///   - timeout: how long to wait for the response.
    ///   - finish: is called once.
    init(
        _ bytes: [UInt8], isStream: Bool, isShort: Bool = false, right: SignedRequest? = nil, on loop: any EventLoop,
        within timeout: Duration, finish: @escaping (Outcome) -> Void
    ) {
        self.bytes = bytes
        self.isStream = isStream
        self.isShort = isShort
        self.right = right
        self.loop = loop
        self.finish = finish
        timer = loop.schedule(after: timeout) { [self] in abandon() }
    }

    /// Whether somebody still waits for it.
    var isAwaited: Bool { finish != nil }

    func end(_ outcome: Outcome) {
        if let timer { loop.cancel(timer) }
        timer = nil
        finish.take()?(outcome)
    }

    private func abandon() {
        guard let connection else { return end(.notSent) }
        connection.abandon()
        end(.unknown)
    }
}

/// Receives a stream from another node. On its loop only.
protocol PeerStream: AnyObject {
    func received(_ bytes: UnsafeRawBufferPointer)
    /// The other node has ended the stream, or is gone.
    func sourceClosed()
}

/// A connection to another node, with one request at a time: a socket, or one of the channels on a socket. On its loop only.
final class PeerConnection {
    /// The outcome of a greeting.
    enum Greeting {
        /// Both ends have proved that they are nodes.
        case proved
        /// The other node takes no requests of this one.
        case refused
        /// The other end has not answered as a node does, with the reason.
        case failed(String)
    }

    private enum State {
        case greeting(LinkCaller, LoopTimer)
        case idle
        case awaitingHead(ForwardedRequest)
        case awaitingBody(ForwardedRequest, ResponseHead)
        case streaming(any PeerStream)
        case closed
    }

    private let peer: Peer
    private var state = State.idle
    /// The bytes of the body so far.
    private var body: [UInt8] = []
    /// What the output budget knows of them.
    private var countedBytes = 0
    private var channel: Channel?
    /// The connection once both ends have proved that they are nodes; nil if each request has to do so, and for a channel.
    private var link: CalledLink?
    /// This end's proof, until the first request takes it along.
    private var proof: String?
    /// The socket and its channels; nil if the socket is for this connection only.
    private(set) var channels: PeerChannels?
    /// Whether the request in progress asks for channels.
    private var asksForChannels = false
    private let parser = ResponseParser()

    init(_ peer: Peer, in channels: PeerChannels? = nil) {
        self.peer = peer
        self.channels = channels
    }

    func start(on channel: Channel) {
        self.channel = channel
        channel.maxUnconsumedBytes = 1 << 17
    }

    func send(_ request: ForwardedRequest) {
        var fields = proof.take().map { "Storehouse-Proof: \($0)\r\n" } ?? ""
        if let signed = request.right {
            guard let right = link?.right(for: signed) else {
                // The other node was of another release when the request was made.
                close()
                return request.end(.notHere)
            }
            fields += "Storehouse-Right: \(right)\r\n"
        }
        request.connection = self
        state = .awaitingHead(request)
        asksForChannels = request.isShort && channels == nil && peer.asksForChannels()
        var bytes = fields.isEmpty ? request.bytes : ChannelUpgrade.adding(Array(fields.utf8), to: request.bytes)
        if asksForChannels { bytes = ChannelUpgrade.asking(in: bytes) }
        channel?.writeSoon(bytes)
    }

    /// From now on the bytes are those of a stream.
    func stream(to stream: any PeerStream) {
        state = .streaming(stream)
        // No request follows.
        link = nil
        channel?.resumeReading()
    }

    /// Sends something to the node that sends the stream.
    func write(_ bytes: [UInt8]) { channel?.write(bytes) }

    /// Reads no more until ``resume()``, so that the other node sees that the client is slow.
    func pause() { channel?.pauseReading() }

    func resume() { channel?.resumeReading() }

    /// The other node has not answered in time.
    fileprivate func abandon() {
        peer.report("no answer")
        if let channels { peer.retire(channels) }
        close()
    }

    /// Closes the connection. A request in progress ends as unknown.
    func close() {
        // The channel reports its end later in the turn, and no request may be sent on it until then.
        peer.isClosed(self)
        channel?.closeNow()
    }
}

// The proof at the beginning.
extension PeerConnection {
    private static let closed = "it closed the connection without a response"

    /// Asks the other end to prove that it is a node.
    func greet(_ caller: LinkCaller) {
        guard let channel else { return peer.hasGreeted(self, .failed(Self.closed)) }
        let time = peer.limits.waits.proof
        let timer = channel.loop.schedule(after: time) { [self] in endGreeting(.failed("no answer")) }
        state = .greeting(caller, timer)
        let line = "Storehouse-Node:\(NodeProof.greeting(caller))\r\n"
        channel.write(Array("OPTIONS * HTTP/1.1\r\n\(line)Host: node\r\n\r\n".utf8))
    }

    private func receiveAnswer(to caller: LinkCaller, _ timer: LoopTimer, _ bytes: UnsafeRawBufferPointer) -> Int {
        switch parser.parse(bytes) {
        case .needMore: return 0
        case .failed: endGreeting(.failed(LinkVersion.Failure.malformed.description), timer)
        case .head(let head, _) where head.status == .misdirectedRequest: endGreeting(.refused, timer)
        case .head(let head, let consumed):
            let isWhole = head.status == .ok && head.contentLength == 0 && head.keepAlive && consumed == bytes.count
            do throws(LinkVersion.Failure) {
                guard isWhole, let answer = head.fields.first("storehouse-node") else { throw .malformed }
                let (link, proof) = try caller.receive(answer)
                (self.link, self.proof) = (link, proof)
                state = .idle
                endGreeting(.proved, timer)
            } catch {
                endGreeting(.failed(error.description), timer)
            }
        }
        return bytes.count
    }

    private func endGreeting(_ outcome: Greeting, _ timer: LoopTimer? = nil) {
        if let timer { channel?.loop.cancel(timer) }
        if case .greeting = state {
            state = .closed
            close()
        }
        peer.hasGreeted(self, outcome)
    }
}

extension PeerConnection: ChannelDelegate {
    func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) -> Int {
        switch state {
        case .greeting(let caller, let timer): return receiveAnswer(to: caller, timer, bytes)
        case .awaitingHead(let request): return receiveHead(of: request, bytes)
        case .awaitingBody(let request, let head): return receiveBody(of: head, request, bytes)
        case .streaming(let stream):
            stream.received(bytes)
            return bytes.count
        // The other node closes the connection.
        case .idle, .closed:
            close()
            return bytes.count
        }
    }

    private func receiveHead(of request: ForwardedRequest, _ bytes: UnsafeRawBufferPointer) -> Int {
        if asksForChannels, bytes.starts(with: ChannelUpgrade.agreement.prefix(bytes.count)) {
            return receiveAgreement(bytes)
        }
        switch parser.parse(bytes) {
        case .needMore: return 0
        case .failed:
            close()
            return bytes.count
        case .head(let head, let consumed):
            peer.report(nil)
            guard let length = head.contentLength else {
                guard request.isStream, head.status == .ok else {
                    close()
                    return bytes.count
                }
                // Until the stream has a receiver.
                pause()
                request.end(.stream(head, self))
                return consumed
            }
            // A long body is not collected if it could not be passed on.
            guard length <= HTTPConnectionStateMachine.maxPendingResponseBytes || peer.limits.output.admits(length)
            else {
                state = .closed
                close()
                request.end(.noRoom)
                return bytes.count
            }
            body.reserveCapacity(min(length, 1 << 20))
            return consumed + receiveBody(of: head, request, UnsafeRawBufferPointer(rebasing: bytes[consumed...]))
        }
    }

    /// The socket has channels from now on. The request in progress is on the first of them.
    private func receiveAgreement(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let socket = channel, bytes.count >= ChannelUpgrade.agreement.count else { return 0 }
        asksForChannels = false
        let channels = PeerChannels(on: socket, of: peer)
        self.channels = channels
        start(on: channels.open(self))
        peer.share(channels)
        socket.delegate = channels
        // What comes behind the agreement is for the channels.
        socket.resumeReading()
        return ChannelUpgrade.agreement.count
    }

    private func receiveBody(
        of head: ResponseHead, _ request: ForwardedRequest, _ bytes: UnsafeRawBufferPointer
    ) -> Int {
        let count = min(bytes.count, (head.contentLength ?? 0) - body.count)
        body.append(contentsOf: bytes[..<count])
        guard body.count == head.contentLength else {
            state = .awaitingBody(request, head)
            countBody(head.contentLength ?? 0)
            return count
        }
        countBody(0)
        let body = self.body
        self.body = []
        // The other node sends nothing behind a response but a notice that it closes the connection.
        let isKept = head.keepAlive && count == bytes.count
        state = isKept ? .idle : .closed
        if isKept { peer.isFree(self) } else { close() }
        request.end(head.status == .misdirectedRequest ? .notHere : .response(head, body: body))
        return count
    }

    /// Counts the body as output that waits, because the client gets it as soon as it is complete.
    private func countBody(_ byteCount: Int) {
        guard byteCount != countedBytes else { return }
        peer.limits.output.add(byteCount - countedBytes)
        countedBytes = byteCount
    }

    func channelReachedEndOfInput(_ channel: Channel) { close() }

    func channelDrained(_ channel: Channel) {}

    func channelClosed(_ channel: Channel, reason: CloseReason) {
        let last = state
        state = .closed
        self.channel = nil
        peer.isClosed(self)
        countBody(0)
        switch last {
        case .greeting(_, let timer):
            channel.loop.cancel(timer)
            peer.hasGreeted(self, .failed(Self.closed))
        case .awaitingHead(let request):
            peer.report(Self.closed)
            request.end(.unknown)
        case .awaitingBody(let request, _): request.end(.unknown)
        case .streaming(let stream): stream.sourceClosed()
        case .idle, .closed: break
        }
    }
}
