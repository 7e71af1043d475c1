/// Decides which sessions are created, expire, and stay in memory.
package struct SessionPolicy: Sendable {
    /// How many sessions there may be.
    package var maxSessions = 1_000_000
    /// How many of them stay in memory, if the journal outlives the process.
    package var maxResident = 20_000
    /// A session ends after so many milliseconds without use.
    package var idleTimeout = 86_400_000

    package init() {}

    /// What a lookup does with a session in memory.
    package enum LookupInstruction: Equatable, Sendable {
        case use
        case end
        /// Drop it and load it from the journal: memory holds more than became durable.
        case evict
    }

    /// Whether one more session may be created.
    ///
    /// - Parameters:
    ///   - resident: the sessions in memory, with the new one.
    ///   - stored: the sessions in the journal.
    package func admits(resident: Int, stored: Int) -> Bool { resident <= maxSessions && stored < maxSessions }

    package func lookup(isExpired: Bool, hasFailed: Bool) -> LookupInstruction {
        if isExpired { return .end }
        return hasFailed ? .evict : .use
    }

    /// Whether a session that is not in memory has expired.
    package func isExpired(lastActiveAt: Int, now: Int) -> Bool { lastActiveAt + idleTimeout <= now }

    /// How often expired sessions are looked for, in milliseconds.
    package var sweepInterval: Int { max(20, min(10_000, idleTimeout / 20)) }

    /// To how many sessions hibernation brings the memory down; nil if it has room.
    ///
    /// It is less than the limit, so that not each new session causes another sort.
    package func hibernationGoal(resident: Int) -> Int? {
        resident > maxResident ? maxResident - maxResident / 10 : nil
    }

    /// The sessions in the order in which they hibernate: the least recently used first.
    package func hibernationOrder<Candidate>(_ candidates: [(Candidate, lastActiveAt: Int)]) -> [Candidate] {
        candidates.sorted { $0.lastActiveAt < $1.lastActiveAt }.map(\.0)
    }
}
