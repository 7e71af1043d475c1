import Platform

/// Decides which sessions are created, expire, and stay in memory.
package struct SessionPolicy: Sendable {
    /// How early a session with a timer is loaded, in milliseconds: then its store waits for the deadline itself.
    static let timerLookahead = 5000
    /// How many sessions there may be.
    package var maxSessions = 1_000_000
    /// How many of them stay in memory, if the journal outlives the process.
    package var maxResident = 20_000
    /// A session ends after so many milliseconds without use; ``never`` for sessions that last until they are deleted.
    package var idleTimeout = 86_400_000
    /// A session on which nothing was done since it was created ends after so many milliseconds, if that is sooner.
    package var unusedTimeout = 600_000

    /// A timeout that no moment reaches, and that can be added to any of them.
    package static let never = Int.max / 2

    package init() {}

    /// The timeout of a setting, in which zero is never.
    package static func timeout(_ setting: Duration) -> Int {
        setting > .zero ? min(setting.wholeMilliseconds, never) : never
    }

    /// The action of a lookup that finds a session in memory.
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
        // A session that belongs to another node may have been used there.
        if hasFailed { return .evict }
        return isExpired ? .end : .use
    }

    /// Which of the timeouts ends a session.
    package func expiryCause(isUsed: Bool) -> ExpiryReport.Cause {
        !isUsed && unusedTimeout < idleTimeout ? .unused : .idle
    }

    /// How long a session lives without use.
    package func timeout(isUsed: Bool) -> Int { isUsed ? idleTimeout : min(unusedTimeout, idleTimeout) }

    /// How much time between two processes counts at most, in milliseconds, if only the wall clock knows how long it was.
    package var maxAbsence: Int { (idleTimeout < Self.never ? idleTimeout : unusedTimeout) / 2 }

    /// How often expired sessions are looked for, in milliseconds.
    package var sweepInterval: Int { max(20, min(10_000, timeout(isUsed: false) / 20)) }

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
