import CFaultyDisk
import Foundation
import Journal
import StoreHosting
import Stores
import Testing

@Suite("What the SQLite journal has refused, on a disk whose sync fails")
struct RefusedTests {
    /// A file with a session of ten commits, whose log begins anew with the next one or does not.
    private func file(
        _ disk: FaultyDisk, newLog: Bool, _ report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) async throws -> (JournalFile, SQLiteJournal) {
        let file = try JournalFile()
        let journal = try file.open(vfs: disk.name, report: report)
        let session = journal.create(Step.session())
        Step.store(session).step(10)
        #expect(await session.awaitDurable() == nil)
        guard newLog else { return (file, journal) }
        await journal.closed()
        return (file, try file.open(vfs: disk.name, report: report))
    }

    /// How many commits there are where the process ends now.
    private func left(_ file: JournalFile) async throws -> Int? {
        let copy = try file.copy()
        let journal = try copy.open()
        let found = try await journal.session("session")
        await journal.closed()
        #expect(try SQLiteStorage.verify(copy.path).problems.isEmpty)
        return found.replayable.count == found.summary.revision ? found.summary.revision : nil
    }

    /// Commits what cannot be synced.
    private func refuse(_ journal: SQLiteJournal, _ steps: Int) async throws {
        let session = try await journal.session("session").journal
        Step.store(session, from: 10).step(steps)
        guard case .unavailable = await session.awaitDurable() else { throw Missing(id: "failure") }
    }

    @Test("does not come back where the process ends then", arguments: [1, 5, 300], [true, false])
    func ending(steps: Int, newLog: Bool) async throws {
        let disk = try FaultyDisk()
        let (file, journal) = try await file(disk, newLog: newLog)
        for _ in 1...3 {
            // The head of a log that begins anew is synced by itself.
            disk.fail(FAULTY_SYNC, after: newLog ? 1 : 0)
            try await refuse(journal, steps)
            #expect(try await left(file) == 10)
        }
        disk.heal()
    }

    @Test("is cut off again and again where that fails too", arguments: [true, false])
    func cutting(newLog: Bool) async throws {
        let disk = try FaultyDisk()
        let (events, next) = AsyncStream.makeStream(of: StorageEvent.self)
        let (file, journal) = try await file(disk, newLog: newLog) { next.yield($0) }
        disk.refuseCuts(true)
        disk.fail(FAULTY_SYNC, after: newLog ? 1 : 0)
        try await refuse(journal, 5)
        // There it stands, and would be found.
        let found = try #require(try await left(file))
        #expect(found > 10 && found <= 15)
        let tried = disk.cuts
        try await eventually { disk.cuts > tried }
        disk.refuseCuts(false)
        // One that was refused just now may still be counted.
        try await eventually { try await left(file) == 10 }
        #expect(!journal.isAvailable)
        disk.heal()
        var iterator = events.makeAsyncIterator()
        guard case .failed = await iterator.next() else { throw Missing(id: "event") }
        #expect(await iterator.next() == .recovered)
        let session = try await journal.session("session").journal
        Step.store(session, from: 10).step()
        #expect(await session.awaitDurable() == nil)
        #expect(try await left(file) == 11)
    }
}
