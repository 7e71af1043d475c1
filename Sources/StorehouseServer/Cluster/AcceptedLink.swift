import Cluster
import HTTP
import HTTPServer
import Platform
import Sockets

/// A connection that another node has opened, with the requests that the node forwards. On its loop only.
///
/// ``LinkStreams`` decides what travels. An event that several clients of the other node get is sent once.
final class AcceptedLink {
    private enum State {
        /// The other end has said that it is a node, and has to prove it with its first frame.
        case greeted(LinkAnswerer)
        case open(AnsweredLink, node: UInt16)
        case closed
    }

    /// How long the other node has to close the connection while this one drains. Only the other one knows whether it needs it.
    private static let closeTime = Duration.seconds(1)

    private let identity: NodeIdentity
    private let handler: any RequestHandler
    private let proved: (LinkAnswerer) -> Void
    private let waits: ClusterWaits
    private var state: State
    private var connection: HTTPConnection?
    private var reader = LinkFrameReader()
    // Accesses to the unchecked properties cannot overlap, because nothing else is called during one. Checking each would cost more
    // than they do.
    @exclusivity(unchecked) private var streams = LinkStreams(opens: false)
    /// By the places of their streams.
    @exclusivity(unchecked) private var requests: [LinkedRequest?] = []
    /// The piece that is to be sent once for several streams.
    @exclusivity(unchecked) private var shared: LinkPiece?
    /// Where that piece is, and its length, because each client of a stream brings its events here.
    @exclusivity(unchecked) private var sharedAddress: UnsafeRawPointer?
    @exclusivity(unchecked) private var sharedCount = 0
    @exclusivity(unchecked) private var sharing: [UInt32] = []
    private var lastReceived = MonotonicInstant(nanoseconds: 0)
    private var silence = LinkSilence(opens: false)
    // Its closure refers to this object until the connection closes. A weak one would make each later retain dearer.
    private var timer: LoopTimer?
    /// Whether this node drains.
    private var isDraining = false
    /// Whether it reads nothing, until the other node has taken what was sent.
    private var isPaused = false
    /// How many bytes the budgets count: of a frame that has not arrived completely, and of those that wait for the other node.
    private var (countedInput, countedOutput) = (0, 0)

    /// - Parameters:
    ///   - handler: gets the requests, and tells what becomes of those that are cut.
    ///   - proved: called once the other node has proved itself.
    init(
        _ answerer: LinkAnswerer, _ identity: NodeIdentity, _ waits: ClusterWaits, handler: any RequestHandler,
        proved: @escaping (LinkAnswerer) -> Void
    ) {
        self.proved = proved
        state = .greeted(answerer)
        self.identity = identity
        self.waits = waits
        self.handler = handler
    }

    /// The connection is that of this link from now on.
    func start(on connection: HTTPConnection) {
        self.connection = connection
        timer = connection.loop.schedule(after: waits.proof) { [self] in
            if case .greeted = state { self.connection?.disconnect() }
        }
    }

    private var isOpen: Bool { if case .open = state { true } else { false } }

    private func stopTimer() {
        if let timer = timer.take() { connection?.loop.cancel(timer) }
    }

    /// A node that is gone says nothing. One that is alive asks for answers.
    private func watch() {
        guard let loop = connection?.loop else { return }
        timer = loop.schedule(after: waits.silence) { [self] in
            guard isOpen else { return }
            // Frames of the node may wait unread. If it takes nothing either, its connection closes by the idle timeout.
            if !isPaused, silence.intervalEnded(lastHeard: lastReceived.nanoseconds) == .giveUp {
                connection?.disconnect()
            } else {
                watch()
            }
        }
    }

    private func awaitClose() {
        guard isDraining, streams.isEmpty, let loop = connection?.loop else { return }
        stopTimer()
        timer = loop.schedule(after: Self.closeTime) { [self] in
            if streams.isEmpty { connection?.disconnect() }
        }
    }
}

// Receiving.
extension AcceptedLink: StreamHandler {
    func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        guard let connection else { return }
        lastReceived = connection.now
        // Whoever handles a request may send something on this connection.
        var reader = LinkFrameReader()
        swap(&reader, &self.reader)
        do throws(LinkVersion.Failure) {
            try reader.read(bytes) { frame throws(LinkVersion.Failure) in
                try receive(frame)
                return isOpen
            }
        } catch {
            connection.disconnect()
        }
        self.reader = reader
        countInput(reader.heldBytes)
        isPaused = connection.pendingBytes > LinkStreams.maxPendingBytes
        if isPaused { connection.pauseReading() }
    }

    private func receive(_ frame: LinkFrame) throws(LinkVersion.Failure) {
        guard case .greeted(let answerer) = state else { return try perform(try streams.receive(frame)) }
        guard case .proof(let proof) = frame else { throw .malformed }
        let link = try answerer.receive(String(decoding: proof.prefix(LinkFrame.maxProofBytes), as: UTF8.self))
        state = .open(link, node: identity.number(of: answerer.caller))
        proved(answerer)
        stopTimer()
        watch()
    }

    private func perform(_ event: LinkStreams.Event) throws(LinkVersion.Failure) {
        switch event {
        case .started(let number, let head, let length, let piece): try start(number, head, length ?? 0, piece)
        case .piece(let number, let piece):
            write(streams.take(number, piece.count))
            requests[LinkStreams.place(number)]?.request.received(piece)
        case .cancelled(let number):
            let linked = requests[LinkStreams.place(number)]
            requests[LinkStreams.place(number)] = nil
            write([])
            linked?.request.closed()
            awaitClose()
        case .writable(let number, let bytes, let isEmpty):
            write(bytes)
            requests[LinkStreams.place(number)]?.wasTaken(isAll: isEmpty)
            awaitClose()
        case .answerPing: write(LinkStreams.pong)
        // A node sends requests, and they have lengths.
        case .sharedPiece, .ended, .leave: throw .malformed
        case .none: break
        }
    }

    private func start(
        _ number: UInt32, _ head: UnsafeRawBufferPointer, _ length: Int, _ piece: UnsafeRawBufferPointer
    ) throws(LinkVersion.Failure) {
        guard let message = ReceivedMessage(head), let connection, case .open(_, let node) = state else {
            throw .malformed
        }
        let request = CarriedRequest(
            message.head, from: message.client, origin: node, requestID: message.requestID, bodyLength: length,
            on: connection, handler)
        let linked = LinkedRequest(request, number, isByOperator: length == 0 && gives(message.claim), of: self)
        let place = LinkStreams.place(number)
        if place == requests.count { requests.append(linked) } else { requests[place] = linked }
        if piece.count < length { write(streams.take(number, piece.count)) }
        request.begin(piece)
        if piece.count < length { request.awaitBody() }
    }

    /// Whether the other node has checked that the client of a request is an operator.
    private func gives(_ claim: (right: String, request: SignedRequest)?) -> Bool {
        guard let claim, case .open(var link, let node) = state else { return false }
        defer { state = .open(link, node: node) }
        return link.gives(claim.right, to: claim.request)
    }

    func streamDrained() {
        guard isPaused else { return }
        isPaused = false
        connection?.resumeReading()
    }

    func streamClosed() {
        stopTimer()
        state = .closed
        countInput(0)
        countOutput(0)
        connection = nil
        (shared, sharing) = (nil, [])
        let open = requests
        requests = []
        for linked in open { linked?.request.closed() }
    }

    var clients: [any StreamClient]? { requests.compactMap { $0?.request.isStream == true ? $0 : nil } }

    func drainBegins() {
        isDraining = true
        write(LinkStreams.leave)
        awaitClose()
    }

    /// Its clients are told.
    func streamShouldEnd(among streamCount: Int) {}

    func streamMustAnswer() {
        for linked in requests { linked?.request.mustAnswer() }
    }
}

// Sending.
extension AcceptedLink {
    /// Whether so much waits that the output budget decides about more of it.
    var isFull: Bool { streams.waitingBytes + (connection?.pendingBytes ?? 0) > LinkStreams.maxPendingBytes }

    func pendingBytes(_ number: UInt32) -> Int { streams.waitingBytes(number) }

    func respond(_ number: UInt32, _ response: Response) {
        forget(number)
        write(streams.respond(number, response.forwardedHead, response.body))
        awaitClose()
    }

    /// - Parameter response: has no body yet.
    func startBody(_ number: UInt32, _ response: Response) {
        write(streams.startBody(number, response.forwardedHead))
    }

    /// Sends a piece of a stream, in one frame with other streams that get the same bytes of the same array.
    ///
    /// - Returns: false if it waits for the other node, which has not taken earlier ones.
    func send(_ number: UInt32, _ array: [UInt8], _ range: Range<Int>) -> Bool {
        let address = array.withUnsafeBytes { $0.baseAddress.map { $0 + range.lowerBound } }
        return send(
            number, range.count, isShared: address == sharedAddress && range.count == sharedCount,
            LinkPiece(array[range]))
    }

    /// Sends a piece of a stream that has several parts.
    func send(_ number: UInt32, _ parts: [[UInt8]]) -> Bool {
        let piece = LinkPiece(parts)
        return send(number, piece.count, isShared: shared?.isSame(as: piece) == true, piece)
    }

    @inline(__always)
    private func send(
        _ number: UInt32, _ byteCount: Int, isShared: @autoclosure () -> Bool, _ piece: @autoclosure () -> LinkPiece
    ) -> Bool {
        guard streams.takeShared(number, byteCount) else {
            write(streams.send(number, piece()))
            return false
        }
        if sharing.isEmpty || !isShared() { share(piece()) }
        sharing.append(number)
        return true
    }

    private func share(_ piece: LinkPiece) {
        if shared == nil { connection?.loop.atEndOfTurn { [self] in writeShared() } }
        writeShared()
        (shared, sharedAddress, sharedCount) = (piece, piece.address, piece.count)
    }

    func end(_ number: UInt32) {
        forget(number)
        write(streams.end(number))
        awaitClose()
    }

    func cancel(_ number: UInt32) {
        forget(number)
        write(streams.cancel(number))
        awaitClose()
    }

    private func forget(_ number: UInt32) {
        let place = LinkStreams.place(number)
        if place < requests.count { requests[place] = nil }
    }

    private func write(_ bytes: [UInt8]) {
        writeShared()
        guard let connection else { return }
        if !bytes.isEmpty { connection.sendSoon(bytes) }
        countOutput(streams.waitingBytes)
    }

    private func countInput(_ byteCount: Int) {
        guard countedInput != byteCount else { return }
        connection?.addInput(byteCount - countedInput)
        countedInput = byteCount
    }

    private func countOutput(_ byteCount: Int) {
        guard countedOutput != byteCount else { return }
        connection?.addOutput(byteCount - countedOutput)
        countedOutput = byteCount
    }

    private func writeShared() {
        guard let piece = shared.take() else { return }
        connection?.sendSoon(LinkStreams.frame(of: piece, for: sharing))
        sharing.removeAll(keepingCapacity: true)
    }
}
