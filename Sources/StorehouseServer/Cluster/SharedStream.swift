import Platform
import Sessions
import Sockets

/// The events of one stream of another node, for all clients on this loop that want the same. On that loop only.
final class SharedStream {
    /// Names it at the other node.
    let id: String
    private let source: PeerConnection
    private let loop: any EventLoop
    private let settings: EventStream.Settings
    private let maxFrameBytes: Int
    private var began: ((SharedStream) -> Void)?
    private var ended: (() -> Void)?
    private var parser = StreamFrameParser()
    /// The bytes of a frame that has not come completely.
    private var part: [UInt8] = []
    private var members: [RelayedStream] = []
    private var lastReceived: MonotonicInstant
    private var timer: LoopTimer?

    /// - Parameter maxFrameBytes: a longer frame ends the stream.
    init(
        _ id: String, from source: PeerConnection, on loop: any EventLoop, _ settings: EventStream.Settings,
        maxFrameBytes: Int
    ) {
        self.id = id
        self.source = source
        self.loop = loop
        self.settings = settings
        self.maxFrameBytes = maxFrameBytes
        lastReceived = loop.now
    }

    /// - Parameters:
    ///   - began: is called once every later event will come.
    ///   - ended: is called at the end, also of a stream that has not begun.
    func start(began: @escaping (SharedStream) -> Void, ended: @escaping () -> Void) {
        (self.began, self.ended) = (began, ended)
        watchSource()
        source.stream(to: self)
    }

    func close() { source.close() }

    func add(_ member: RelayedStream) {
        member.index = members.count
        members.append(member)
    }

    func remove(_ member: RelayedStream) {
        guard member.index < members.count, members[member.index] === member else { return }
        let last = members.removeLast()
        guard last !== member else { return }
        last.index = member.index
        members[member.index] = last
    }

    /// A node that is cut off from this one cannot say so.
    private func watchSource() {
        timer = loop.schedule(after: settings.heartbeat) { [self] in
            guard lastReceived.duration(to: loop.now) < settings.heartbeat * 2.5 else { return close() }
            watchSource()
        }
    }

    private func finish(_ revision: Int) {
        let bytes = part
        part = []
        // The first frame is empty, and so is a heartbeat.
        if let began = began.take() { return began(self) }
        guard !bytes.isEmpty else { return }
        let frame = EventFrame(revision, EncodedEvent(sharing: bytes))
        // A member that leaves changes the list.
        for member in members { member.take(frame) }
    }
}

extension SharedStream: PeerStream {
    func received(_ bytes: UnsafeRawBufferPointer) {
        lastReceived = loop.now
        var bytes = bytes
        while let element = parser.next(&bytes) {
            switch element {
            case .line(_, let length):
                guard length <= maxFrameBytes else { return close() }
                part.reserveCapacity(length)
            case .part(let revision, let bytes, let isLast):
                part.append(contentsOf: bytes)
                if isLast { finish(revision) }
            case .rest, .malformed: return close()
            }
        }
    }

    func sourceClosed() {
        if let timer = timer.take() { loop.cancel(timer) }
        let members = members
        self.members = []
        for member in members { member.sharedStreamEnded() }
        began = nil
        ended.take()?()
    }
}
