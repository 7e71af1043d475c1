package import Sessions

/// The position of one client in a stream that it shares with other clients.
///
/// Its initial events come by its own connection, and later ones by the shared stream. Shared events that come before the initial
/// ones wait for them.
package struct JoinedPosition: Sendable {
    private enum Phase {
        /// The initial events have not come.
        case opening
        case following
        /// The client gets no more shared events.
        case left
    }

    package enum Step: Sendable, Equatable {
        case send
        case ignore
        /// The client is too slow, so it gets its events by its own connection.
        case leave
    }

    /// The newest revision whose events the client was sent.
    package private(set) var revision = -1
    /// How many shared events it was sent.
    package private(set) var sentCount = 0
    private var phase = Phase.opening
    private let limit: Int
    /// The newest shared events, while the initial ones have not come.
    private var waiting: [EventFrame] = []
    private var waitingBytes = 0
    /// The newest shared event that is gone without being sent.
    private var lostRevision = -1

    /// - Parameter limit: how many bytes may wait for the client. A longer event is sent only if nothing waits.
    package init(limit: Int) { self.limit = limit }

    /// A shared event is there.
    ///
    /// - Parameter pendingBytes: how many bytes wait for the client.
    package mutating func take(_ frame: EventFrame, pendingBytes: Int) -> Step {
        switch phase {
        case .left: return .ignore
        case .opening:
            wait(for: frame)
            return .ignore
        case .following:
            guard frame.revision > revision else { return .ignore }
            guard pendingBytes == 0 || pendingBytes + frame.byteCount <= limit else {
                phase = .left
                return .leave
            }
            revision = frame.revision
            sentCount += 1
            return .send
        }
    }

    private mutating func wait(for frame: EventFrame) {
        waiting.append(frame)
        waitingBytes += frame.byteCount
        while waitingBytes > limit, waiting.count > 1 {
            let oldest = waiting.removeFirst()
            waitingBytes -= oldest.byteCount
            lostRevision = oldest.revision
        }
    }

    /// The initial events were sent.
    ///
    /// - Returns: the shared events to take now; nil if some are missing, and the client has to leave.
    package mutating func open(at revision: Int) -> [EventFrame]? {
        self.revision = revision
        phase = lostRevision > revision ? .left : .following
        let frames = waiting
        waiting = []
        return phase == .left ? nil : frames
    }

    /// The shared stream has ended.
    ///
    /// - Returns: whether the client has to leave now. One without initial events leaves when they have come.
    package mutating func sharedStreamEnded() -> Bool {
        switch phase {
        case .left: return false
        case .opening:
            (waiting, lostRevision) = ([], .max)
            return false
        case .following:
            phase = .left
            return true
        }
    }

    /// Whether a frame of the client's own connection can be sent: the client has all events up to its revision.
    package func hasEvents(upTo revision: Int) -> Bool { revision <= self.revision }

    /// Whether the events that it misses can still come by the shared stream.
    package var isFollowing: Bool { if case .following = phase { true } else { false } }
}
