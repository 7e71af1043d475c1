import HTTP
import Sessions
import Sockets

/// What clients ask for that can share a stream.
struct StreamKey: Hashable {
    private let owner: String
    /// The path can name different sessions: `/sessions/me` is that of the subject.
    private let session: SessionID
    private let target: String
    private let accept: [String]

    /// Nil if the stream is not shared, because it has the events of effects.
    init?(_ head: RequestHead, of session: SessionID, at owner: String) {
        guard (try? head.flag("effects")) == false else { return nil }
        let parts = head.target.split(separator: "?", maxSplits: 1)
        let query = parts.count > 1 ? parts[1].split(separator: "&") : []
        self.owner = owner
        self.session = session
        let shared = query.filter { !$0.hasPrefix("lastEventId=") && !$0.hasPrefix("heartbeat=") }
        target = parts[0] + "?" + shared.joined(separator: "&")
        accept = head.fields.values("accept")
    }
}

/// Decides how the clients of one node get the same stream of another node.
///
/// The first client has a stream of its own, as most clients are alone. When a second one comes, a shared stream is opened, which that
/// client and all later ones join. Clients that come meanwhile wait: if a thousand come together, they would have a thousand streams
/// for as long as they stay.
package struct StreamAdmission: Sendable {
    private enum Phase {
        /// The first client's request has no answer yet. Until then the other node has nothing to share.
        case first
        /// Streams have begun, and none is shared.
        case begun
        case opening
        case shared
    }

    package enum Step: Sendable, Equatable {
        /// Send the request for a stream of its own.
        case pass
        case wait
        /// Wait, and open the shared stream.
        case open
        case join
    }

    private var phase: Phase?

    package init() {}

    /// A client asks for the stream.
    package mutating func arrives() -> Step {
        switch phase {
        case nil:
            phase = .first
            return .pass
        case .first, .opening: return .wait
        case .begun:
            phase = .opening
            return .open
        case .shared: return .join
        }
    }

    /// A request for a stream of its own is answered.
    ///
    /// - Parameters:
    ///   - isStream: whether it is a stream.
    ///   - othersWait: whether other clients wait.
    /// - Returns: whether to open the shared stream.
    package mutating func answered(isStream: Bool, othersWait: Bool) -> Bool {
        guard phase == .first else { return false }
        phase = isStream && othersWait ? .opening : .begun
        return phase == .opening
    }

    /// The shared stream is there.
    package mutating func opened() { phase = .shared }

    /// The shared stream has ended, or was refused. The next client opens another.
    package mutating func sharedStreamEnded() { phase = .begun }

    /// Whether clients that come now wait.
    package var isWaiting: Bool { phase == .first || phase == .opening }
}

/// Finds the shared streams for the clients of one loop. On that loop only.
final class StreamSharing {
    /// A client's request.
    struct Request {
        /// Sends it, by a shared stream if there is one.
        let send: (SharedStream?) -> Void
        /// Asks for the shared stream. The result is nil if it is refused.
        let open: (@escaping (SharedStreamSource?) -> Void) -> Void
    }

    typealias SharedStreamSource = (id: String, connection: PeerConnection)

    /// The clients that ask for the same.
    private final class Audience {
        var clientCount = 0
        var admission = StreamAdmission()
        var shared: SharedStream?
        /// The clients that wait for the first answer, or for the shared stream.
        var waiting: [Request] = []
        var timer: LoopTimer?
    }

    private let loop: any EventLoop
    private let settings: EventStream.Settings
    /// How long clients wait for the first answer and the shared stream.
    private let maxWait: Duration
    private let maxFrameBytes: Int
    private var audiences: [StreamKey: Audience] = [:]

    init(on loop: any EventLoop, _ settings: EventStream.Settings, maxWait: Duration, maxFrameBytes: Int) {
        self.loop = loop
        self.settings = settings
        self.maxWait = maxWait
        self.maxFrameBytes = maxFrameBytes
    }

    /// A client asks for a stream. ``leaves(_:)`` must follow when the stream has ended, or was refused.
    func arrives(_ key: StreamKey, _ request: Request) {
        let audience = audiences[key] ?? Audience()
        audiences[key] = audience
        audience.clientCount += 1
        switch audience.admission.arrives() {
        case .pass: request.send(nil)
        case .join: request.send(audience.shared)
        case .wait: wait(request, audience)
        case .open:
            wait(request, audience)
            open(audience, request)
        }
    }

    /// The request of a client is answered.
    func answered(_ key: StreamKey, isStream: Bool) {
        guard let audience = audiences[key] else { return }
        let next = audience.waiting.first
        if audience.admission.answered(isStream: isStream, othersWait: next != nil), let next {
            open(audience, next)
        } else if !audience.admission.isWaiting {
            release(audience)
        }
    }

    /// The stream of a client has ended, or was refused.
    func leaves(_ key: StreamKey) {
        guard let audience = audiences[key] else { return }
        audience.clientCount -= 1
        guard audience.clientCount == 0 else { return }
        audiences[key] = nil
        audience.shared?.close()
    }

    private func wait(_ request: Request, _ audience: Audience) {
        audience.waiting.append(request)
        if audience.timer == nil { audience.timer = loop.schedule(after: maxWait) { [self] in release(audience) } }
    }

    /// Sends the requests that wait.
    private func release(_ audience: Audience) {
        if let timer = audience.timer.take() { loop.cancel(timer) }
        let waiting = audience.waiting
        audience.waiting = []
        for request in waiting { request.send(audience.shared) }
    }

    private func open(_ audience: Audience, _ request: Request) {
        request.open { [self] source in
            guard let source else { return sharedStreamEnded(audience) }
            SharedStream(source.id, from: source.connection, on: loop, settings, maxFrameBytes: maxFrameBytes).start {
                [self] shared in
                // Those that have waited for it may be gone.
                guard audience.clientCount > 0 else { return shared.close() }
                audience.shared = shared
                audience.admission.opened()
                release(audience)
            } ended: { [self] in
                audience.shared = nil
                sharedStreamEnded(audience)
            }
        }
    }

    private func sharedStreamEnded(_ audience: Audience) {
        audience.admission.sharedStreamEnded()
        release(audience)
    }
}
