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
        try await Promise.value { load(id, done: $0) }.get()
    }

    /// Loads a session that must exist.
    func session(_ id: String) async throws -> Found {
        guard case .session(let summary, let replayable, let answers, let journal) = try await found(id) else {
            throw Missing(id: id)
        }
        return Found(summary: summary, replayable: replayable, answers: answers, journal: journal)
    }

    func listed(after id: String? = nil, limit: Int = 100) async throws -> [SessionSummary] {
        try await Promise.value { list(after: id, limit: limit, done: $0) }.get()
    }

    func idleSessions(before moment: Int, limit: Int = 100) async throws -> [String] {
        try await Promise.value { idleSessions(before: moment, limit: limit, done: $0) }.get()
    }

    func unusedSessions(from start: Int = 0, before moment: Int, limit: Int = 100) async throws -> UnusedSessions {
        try await Promise.value { unusedSessions(from: start, before: moment, limit: limit, done: $0) }.get()
    }

    func dueSessions(
        after last: DueSession? = nil, until moment: Int, limit: Int = 100
    ) async throws -> [DueSession] {
        try await Promise.value { dueSessions(after: last, until: moment, limit: limit, done: $0) }.get()
    }

    func personalSession(of owner: Subject, kind: String) async throws -> String? {
        try await Promise.value { personalSession(of: owner, kind: kind, done: $0) }.get()
    }

    func closed() async {
        await withCheckedContinuation { next in close { next.resume() } }
    }
}

extension SessionJournal {
    func awaitRelease() async -> JournalError? { await Promise.value { release($0) } }
}

extension SessionLookup {
    var word: String {
        switch self {
        case .unknown: "unknown"
        case .ended: "ended"
        case .session: "session"
        case .elsewhere(let address): address
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
        await Promise.value { whenDurable(through: revision, $0) }
    }

    func commits(after revision: Int, limit: Int = .max) async throws -> [CommitRecord]? {
        try await Promise.value { commits(after: revision, limit: limit, done: $0) }.get()
    }

    func oldestRevision() async throws -> Int { try await Promise.value { oldestRevision(done: $0) }.get() }

    func replayBase(for revision: Int) async throws -> ReplayableState? {
        try await Promise.value { replayBase(for: revision, done: $0) }.get()
    }
}
