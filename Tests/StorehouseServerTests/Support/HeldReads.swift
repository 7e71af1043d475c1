import JSON
import Journal
import Locks
import StoreHosting
import Stores

/// Holds the reads of stored commits back until the test releases them.
final class HeldReads: Sendable {
    private struct Contents {
        var begun: [(session: String, limit: Int, end: Promise<Void>)] = []
        /// How many of them are released.
        var released = 0
    }

    // Guards the reads that have begun. Nothing is called while it is held.
    private let contents = Locked(Contents())

    /// The sessions that were read, in order.
    var sessions: [String] { contents.withLock { $0.begun.map(\.session) } }

    /// How many commits each read has asked for at most.
    var limits: [Int] { contents.withLock { $0.begun.map(\.limit) } }

    fileprivate func begin(_ session: String, limit: Int) async {
        let end = Promise<Void>()
        contents.withLock { $0.begun.append((session, limit, end)) }
        await end.value()
    }

    /// Waits until so many reads have begun.
    func begun(_ count: Int) async throws { try await waitUntil { sessions.count >= count } }

    /// Lets the oldest reads go on that are held, as soon as they have begun.
    func release(_ count: Int) async throws {
        for _ in 0..<count {
            try await begun(contents.withLock { $0.released + 1 })
            contents.withLock { contents in
                contents.released += 1
                return contents.begun[contents.released - 1].end
            }.fulfill(())
        }
    }
}

/// A journal in memory that has no commit in its buffer, and whose reads are held.
final class HeldReadsJournal: WrappedJournal {
    let journal = MemoryJournal(keepCommits: 1000)
    let reads = HeldReads()

    func create(_ session: SessionHeader) -> any SessionJournal {
        HeldReadsSessionJournal(session.id, journal.create(session), reads)
    }
}

private final class HeldReadsSessionJournal: SessionJournal {
    private let id: String
    private let journal: any SessionJournal
    private let reads: HeldReads

    init(_ id: String, _ journal: any SessionJournal, _ reads: HeldReads) {
        (self.id, self.journal, self.reads) = (id, journal, reads)
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) { journal.append(transaction, state) }

    func isDurable(through revision: Int) -> Bool { journal.isDurable(through: revision) }

    func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) {
        journal.whenDurable(through: revision, notify: waiter)
    }

    var hasFailed: Bool { journal.hasFailed }

    /// No commit is in memory.
    func bufferedCommits(after revision: Int, limit: Int) -> [CommitRecord]? {
        limit == 0 || journal.bufferedCommits(after: revision, limit: 1)?.isEmpty == true ? [] : nil
    }

    func commits(after revision: Int, limit: Int) async throws(JournalError) -> [CommitRecord]? {
        await reads.begin(id, limit: limit)
        return try await journal.commits(after: revision, limit: limit)
    }

    func oldestRevision() async throws(JournalError) -> Int { try await journal.oldestRevision() }

    func replayBase(for revision: Int) async throws(JournalError) -> ReplayableState? {
        await reads.begin(id, limit: 0)
        return try await journal.replayBase(for: revision)
    }

    func recordUse(at moment: Int, every interval: Int) { journal.recordUse(at: moment, every: interval) }

    func record(_ change: PermitChange) { journal.record(change) }

    func end(at moment: Int) { journal.end(at: moment) }
}
