import JSON
import Locks
import StoreHosting
import Stores

/// Waits until something has become so, for two minutes at most.
func eventually(_ isSo: () async throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(120)
    while try await !isSo() {
        guard ContinuousClock.now < limit else { throw Missing(id: "what should be so by now") }
        try await Task.sleep(for: .milliseconds(1))
    }
}

extension Journal {
    func found(_ id: String) async throws -> SessionLookup {
        try await load(id)
    }

    /// Loads a session that must exist.
    func session(_ id: String) async throws -> Found {
        guard case .session(let summary, let replayable, let answers, let journal) = try await found(id) else {
            throw Missing(id: id)
        }
        return Found(summary: summary, replayable: replayable, answers: answers, journal: journal)
    }

    func listed(after id: String? = nil, limit: Int = 100) async throws -> [SessionSummary] {
        try await list(after: id, limit: limit)
    }

    func idleSessions(before moment: Int) async throws -> [String] {
        try await idleSessions(before: moment, limit: 100)
    }

    func unusedSessions(from start: Int = 0, before moment: Int) async throws -> UnusedSessions {
        try await unusedSessions(from: start, before: moment, limit: 100)
    }

    func unusedSessions(before moment: Int, limit: Int) async throws -> UnusedSessions {
        try await unusedSessions(from: 0, before: moment, limit: limit)
    }

    func dueSessions(until moment: Int, limit: Int = 100) async throws -> [DueSession] {
        try await dueSessions(after: nil, until: moment, limit: limit)
    }

    func dueSessions(after last: DueSession, until moment: Int) async throws -> [DueSession] {
        try await dueSessions(after: last, until: moment, limit: 100)
    }

    func closed() async {
        await close()
    }
}

extension SessionJournal {
    func awaitRelease() async -> JournalError? {
        do throws(JournalError) {
            try await release()
            return nil
        } catch {
            return error
        }
    }
}

extension SessionLookup {
    var word: String {
        switch self {
        case .unknown: "unknown"
        case .ended: "ended"
        case .session: "session"
        case .elsewhere(let address): address
        case .foreign: "foreign"
        }
    }
}

/// A session that a journal has loaded.
struct Found {
    let summary: SessionSummary
    let replayable: ReplayableState
    let answers: [IdempotencyRecord]
    let journal: any SessionJournal
}

/// Something that a test expects is missing.
struct Missing: Error {
    let id: String
}

extension SessionJournal {
    /// Waits until everything up to a revision is durable, or for revision 0 everything that was appended.
    ///
    /// - Returns: why it cannot become durable; nil if it is.
    @discardableResult
    func awaitDurable(through revision: Int = 0) async -> JournalError? {
        do throws(JournalError) {
            try await durable(through: revision)
            return nil
        } catch {
            return error
        }
    }

    /// Calls `body` once everything up to a revision is durable, or for revision 0 everything that was appended.
    func onceDurable(through revision: Int = 0, _ body: @escaping @Sendable () -> Void) {
        whenDurable(through: revision, notify: NotifiedClosure(body: body))
    }

    /// All commits after a revision, read in portions.
    func commits(after revision: Int) async throws -> [CommitRecord]? {
        guard var all = try await commits(after: revision, limit: .max) else { return nil }
        while let last = all.last, let more = try await commits(after: last.revision, limit: .max), !more.isEmpty {
            all += more
        }
        return all
    }
}

private final class NotifiedClosure: DurabilityWaiter {
    private let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) { self.body = body }

    func waitEnded(with failure: JournalError?) { body() }
}
