import Journal
import StoreHosting

extension RedisSessionJournal {
    /// The progress of the session's commands: which are sent and acknowledged, and when to compact the log next.
    struct Progress: Sendable {
        /// Whether the creation is acknowledged.
        var isCreated: Bool
        /// Where the acknowledged commands end.
        var acknowledged: RedisPosition
        /// Where the sent commands end.
        var sent: RedisPosition
        /// Where each of the commands ends that were sent and are not acknowledged, oldest first.
        var inFlight: [RedisPosition] = []
        /// The way of the newest command; nil before the first one.
        var way: RedisWay?
        var nextCompactionCheck: Int
        var nextCompactionBytes: Int
        /// The revisions that idempotency records show.
        var pinned = PinnedRevisions()

        init(_ position: RedisPosition, isCreated: Bool, cut: Int, _ limits: RetentionLimits) {
            (acknowledged, sent) = (position, position)
            self.isCreated = isCreated
            nextCompactionCheck = limits.firstCompactionCheck(after: cut)
            nextCompactionBytes = isCreated ? 0 : limits.keepBytes
        }

        /// A command is sent.
        ///
        /// - Parameter commands: makes it, and moves the position; nil if it does not follow the commands that were
        ///   sent before.
        mutating func send(
            _ answer: IdempotencyRecord?, _ commands: (inout Self) -> RedisBatch?
        ) -> RedisBatch? {
            guard let commands = commands(&self) else { return nil }
            inFlight.append(sent)
            if let answer { pinned.add(answer) }
            return commands
        }

        /// The oldest command that was sent is acknowledged.
        ///
        /// - Returns: the newest revision that is; nil if no command was sent.
        mutating func acknowledge() -> Int? {
            guard !inFlight.isEmpty else { return nil }
            acknowledged = inFlight.removeFirst()
            isCreated = true
            return acknowledged.revision
        }
    }
}
