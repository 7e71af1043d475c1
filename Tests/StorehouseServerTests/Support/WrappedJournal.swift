import JSON
import Journal
import StoreHosting

/// A journal in memory, of which a test replaces some functions.
protocol WrappedJournal: Journal {
    var journal: MemoryJournal { get }
}

extension WrappedJournal {
    var outlivesProcess: Bool { journal.outlivesProcess }
    var isShared: Bool { journal.isShared }
    var epoch: Int? { journal.epoch }
    var isAvailable: Bool { journal.isAvailable }
    var sessionCount: Int { journal.sessionCount }
    var transactionCount: Int { journal.transactionCount }

    func create(_ session: SessionHeader) -> any SessionJournal { journal.create(session) }

    func load(_ id: String, for subject: Subject?) async throws(JournalError) -> SessionLookup {
        try await journal.load(id, for: subject)
    }

    func list(after id: String?, limit: Int) async throws(JournalError) -> [SessionSummary] {
        try await journal.list(after: id, limit: limit)
    }

    func personalSession(of owner: Subject, kind: String) async throws(JournalError) -> String? {
        try await journal.personalSession(of: owner, kind: kind)
    }

    func idleSessions(before moment: Int, limit: Int) async throws(JournalError) -> [String] {
        try await journal.idleSessions(before: moment, limit: limit)
    }

    func end(_ id: String, at moment: Int) { journal.end(id, at: moment) }

    func close() async { await journal.close() }
}
