package import StoreHosting
import Stores

/// Decides which sessions with a due timer are loaded next: some at a time, in the order of their deadlines.
package struct DueTimers: Sendable {
    /// Asks the journal for the sessions that come next.
    package struct Query: Sendable, Equatable {
        package let after: DueSession?
        package let until: Int
        package let limit: Int
    }

    /// How many sessions are loaded at a time.
    static let batchSize = 128
    /// How often all due sessions are looked for from the beginning, in milliseconds. A session may have left memory with
    /// a timer, because its storage failed.
    static let usualRestartInterval = 60_000
    /// The interval if processes may have died that had sessions with earlier deadlines.
    static let sharedRestartInterval = 1000
    private static let maxUnusable = 10_000

    /// The last session of the batch before; nil to begin with the first.
    private var last: DueSession?
    private var nextRestart = Int.min
    private var isBusy = false
    private let restartInterval: Int
    /// Sessions that cannot be loaded. They are left alone, so that they do not fill the log.
    private var unusable: Set<String> = []

    /// - Parameter isShared: whether sessions may come from other nodes.
    package init(isShared: Bool = false) {
        restartInterval = isShared ? Self.sharedRestartInterval : Self.usualRestartInterval
    }

    /// Begins the next batch; nil if one is under way.
    package mutating func begin(now: Int) -> Query? {
        guard !isBusy else { return nil }
        isBusy = true
        // The clock may have been set back.
        if now >= nextRestart || nextRestart - now > restartInterval {
            (last, nextRestart) = (nil, now + restartInterval)
        }
        return Query(after: last, until: now + SessionPolicy.timerLookahead, limit: Self.batchSize)
    }

    /// The sessions to load of those that the journal has found.
    package mutating func found(_ sessions: [DueSession]) -> [DueSession] {
        last = sessions.last ?? last
        return sessions.filter { !unusable.contains($0.id) }
    }

    /// A session was loaded, or not.
    package mutating func loaded(_ id: String, _ found: Result<SessionRegistry.Lookup, SessionFailure>) {
        switch found {
        case .success(.unreadable):
            if unusable.count >= Self.maxUnusable { unusable = [] }
            unusable.insert(id)
        case .success: break
        // Storage may be available again later, and memory free. The next batch begins with the first session again.
        case .failure: nextRestart = .min
        }
    }

    /// Ends the batch.
    ///
    /// - Parameters:
    ///   - count: how many sessions the journal had found.
    ///   - hasRoom: whether more sessions fit into memory.
    /// - Returns: whether the next batch should follow at once. It does not if a session of this batch is to be tried again.
    package mutating func end(found count: Int, hasRoom: Bool) -> Bool {
        isBusy = false
        return count == Self.batchSize && hasRoom && nextRestart != .min
    }
}
