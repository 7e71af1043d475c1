import Foundation
import Journal
import StoreHosting
import Stores
import Testing

@Suite("Checkpoints of the SQLite journal")
struct CheckpointTests {
    private let file: JournalFile
    private let journal: SQLiteJournal
    private let session: any SessionJournal

    init() throws {
        file = try JournalFile()
        journal = try file.open()
        session = journal.create(Step.session())
    }

    /// The header of the WAL, which changes when the WAL restarts.
    private func header() throws -> Data {
        let handle = try FileHandle(forReadingFrom: URL(filePath: file.path + "-wal"))
        defer { try? handle.close() }
        return try handle.read(upToCount: 32) ?? Data()
    }

    /// Commits about this number of pages of 4 KB.
    private func write(_ pages: Int, _ store: HostedStore) async {
        let large = Array(repeating: UInt8(1), count: 100 << 10)
        for _ in 0..<pages / 25 {
            let record = IdempotencyRecord(
                key: UUID().uuidString, fingerprint: 1, response: large, at: Step.moment)
            store.append(record, to: session)
        }
        #expect(await session.awaitDurable() == nil)
    }

    @Test("a long WAL restarts while commits continue")
    func longWALRestarts() async throws {
        let store = Step.store(session)
        store.step()
        await session.awaitDurable()
        let first = try header()
        // The WAL restarts after 12,000 pages.
        await write(12_500, store)
        try await eventually {
            store.step()
            await session.awaitDurable()
            return try header() != first
        }
        let revision = store.revision
        await journal.closed()
        #expect(try await file.open().session("session").replayable.count == revision)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("the WAL grows while a reader uses old pages, and restarts afterwards")
    func readerDelaysRestart() async throws {
        let store = Step.store(session)
        await write(25, store)
        let first = try header()
        try await file.reading {
            for _ in 0..<3 { await write(4500, store) }
            let now = try header()
            #expect(now == first)
        }
        try await eventually {
            await write(1000, store)
            return try header() != first
        }
    }
}
