import Cluster
import Platform
import Sockets

/// A connection that this node has opened to another one, for many requests at once. On its loop only.
///
/// Both ends prove at the beginning that they are nodes. ``LinkStreams`` decides what travels.
final class CallingLink {
    /// The outcome of the greeting.
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
        case open
        case closed
    }

    private static let closed = "it closed the connection without a response"

    private let channel: Channel
    private let waits: ClusterWaits
    private let output: OutputBudget
    private weak var peer: Peer?
    private var state: State
    private var key: CalledLink?
    private var reader = LinkFrameReader()
    // Accesses to the unchecked properties cannot overlap, because nothing else is called during one. Checking each would cost more
    // than they do.
    @exclusivity(unchecked) private var streams = LinkStreams(opens: true)
    /// By the places of their streams.
    @exclusivity(unchecked) private var requests: [ForwardedRequest?] = []
    private var lastReceived: MonotonicInstant
    private var silence = LinkSilence(opens: true)
    private var silenceTimer: LoopTimer?

    /// Sends the hello.
    init(
        owning socket: Int32, on loop: any EventLoop, _ caller: LinkCaller, _ waits: ClusterWaits,
        _ output: OutputBudget, of peer: Peer
    ) throws(SocketError) {
        channel = try Channel(owning: socket, on: loop)
        (self.waits, self.output) = (waits, output)
        self.peer = peer
        lastReceived = loop.now
        state = .closed
        channel.maxUnconsumedBytes = 1 << 17
        channel.delegate = self
        channel.budget = output
        let timer = loop.schedule(after: waits.proof) { [self] in fail("no answer") }
        state = .greeting(caller, timer)
        channel.write(LinkGreeting.request(caller.hello))
    }

    private var loop: any EventLoop { channel.loop }

    var isOpen: Bool { if case .open = state { true } else { false } }

    /// Whether one more request can be sent. If this process stood still, the other node may have closed the connection.
    var hasRoom: Bool {
        isOpen && streams.hasRoom && lastReceived.duration(to: loop.now) < waits.silence * 2
    }

    func send(_ request: ForwardedRequest) {
        // Bodies that wait for their windows are counted with the requests of the clients.
        guard channel.pendingBytes <= LinkStreams.maxPendingBytes || output.admits(request.message.body.count)
        else { return request.end(.notSent) }
        var right = ""
        if let signed = request.message.signed {
            guard let code = key?.right(for: signed) else { return request.end(.notSent) }
            right = code
        }
        let (number, bytes) = streams.open(request.message.head(with: right), request.message.body)
        let place = LinkStreams.place(number)
        if place == requests.count { requests.append(request) } else { requests[place] = request }
        request.wasSent(as: LinkedStream(link: self, number: number))
        channel.writeSoon(bytes)
    }

    func take(_ number: UInt32, _ byteCount: Int) {
        let bytes = streams.take(number, byteCount)
        if !bytes.isEmpty { channel.writeSoon(bytes) }
    }

    func cancel(_ number: UInt32) {
        let bytes = streams.cancel(number)
        guard !bytes.isEmpty else { return }
        requests[LinkStreams.place(number)] = nil
        channel.writeSoon(bytes)
        closeIfRetired()
    }

    /// A request was not answered in time. The others on this connection can still be answered.
    func abandon(_ number: UInt32) {
        peer?.report("no answer")
        peer?.retire(self)
        cancel(number)
    }

    /// No more requests come. It closes behind those in progress.
    func closeIfRetired() {
        if streams.isEmpty, peer?.isCurrent(self) != true { close() }
    }

    func close() {
        channel.closeNow()
        // The channel reports its end later in the turn, and no request may be sent until then.
        stop(Self.closed)
    }
}

// The greeting.
extension CallingLink {
    private func receiveAnswer(to caller: LinkCaller, _ timer: LoopTimer, _ bytes: UnsafeRawBufferPointer) -> Int {
        switch LinkGreeting.answer(in: bytes) {
        case .incomplete: return 0
        case .refused: endGreeting(.refused, timer)
        case .other: fail(LinkVersion.Failure.malformed.description)
        case .agreed(let answer, let length):
            do throws(LinkVersion.Failure) {
                let (key, proof) = try caller.receive(answer)
                self.key = key
                state = .open
                channel.write(LinkFrame.proof(proof))
                watch()
                endGreeting(.proved, timer)
                return length
            } catch {
                fail(error.description)
            }
        }
        return bytes.count
    }

    private func fail(_ reason: String) {
        guard case .greeting(_, let timer) = state else { return }
        endGreeting(.failed(reason), timer)
    }

    private func endGreeting(_ outcome: Greeting, _ timer: LoopTimer) {
        loop.cancel(timer)
        if case .greeting = state {
            state = .closed
            channel.closeNow()
        }
        peer?.hasGreeted(self, outcome)
    }

    /// A node that is cut off from this one cannot say so.
    private func watch() {
        silenceTimer = loop.schedule(after: waits.silence) { [self] in
            guard silence.intervalEnded(lastHeard: lastReceived.nanoseconds) == .ask else { return close() }
            channel.writeSoon(LinkStreams.ping)
            watch()
        }
    }
}

// Frames.
extension CallingLink: ChannelDelegate {
    func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) -> Int {
        if case .greeting(let caller, let timer) = state { return receiveAnswer(to: caller, timer, bytes) }
        lastReceived = loop.now
        // Whoever gets an event may send something on this connection.
        var reader = LinkFrameReader()
        swap(&reader, &self.reader)
        do throws(LinkVersion.Failure) {
            try reader.read(bytes) { frame throws(LinkVersion.Failure) in
                try receive(try streams.receive(frame))
                return isOpen
            }
        } catch {
            peer?.report(error.description)
            close()
        }
        self.reader = reader
        closeIfRetired()
        return bytes.count
    }

    private func receive(_ event: LinkStreams.Event) throws(LinkVersion.Failure) {
        switch event {
        case .started(let number, let head, let length, let piece):
            peer?.report(nil)
            let request = requests[LinkStreams.place(number)]
            if length == piece.count { requests[LinkStreams.place(number)] = nil }
            guard request?.started(head, length, piece) != false else {
                request?.ended()
                throw .malformed
            }
        case .piece(let number, let bytes): requests[LinkStreams.place(number)]?.received(bytes)
        case .sharedPiece(let numbers, let bytes): receive(bytes, for: numbers)
        case .ended(let number), .cancelled(let number):
            let request = requests[LinkStreams.place(number)]
            requests[LinkStreams.place(number)] = nil
            request?.ended()
        case .writable(_, let bytes, _): channel.writeSoon(bytes)
        // Only the node that has opened the connection asks. Its answers would wait for another one that reads nothing.
        case .answerPing: throw .malformed
        case .leave: peer?.retire(self)
        case .none: break
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, for numbers: LinkStreamList) {
        // Made once for all clients.
        let piece = StreamPiece(bytes, isShared: numbers.count > 1)
        for number in numbers {
            let place = LinkStreams.place(number)
            guard place < requests.count, let relay = requests[place]?.relay else { continue }
            if relay.received(piece) { take(number, bytes.count) }
        }
    }

    func channelReachedEndOfInput(_ channel: Channel) { close() }

    func channelDrained(_ channel: Channel) {}

    func channelClosed(_ channel: Channel, reason: CloseReason) { stop(Self.closed) }

    private func stop(_ reason: String) {
        if case .closed = state { return }
        fail(reason)
        guard isOpen else { return }
        state = .closed
        if let silenceTimer { loop.cancel(silenceTimer) }
        let open = requests
        (requests, streams) = ([], LinkStreams(opens: true))
        peer?.isClosed(self, with: open.contains { $0?.isAwaited == true } ? reason : nil)
        for request in open { request?.ended() }
    }
}
