import Journal
import Testing

@Suite("The SQLite journal")
struct SQLiteJournalTests {
    @Test("is refused to a second who opens the same file, until the first is done with it")
    func oneAtATime() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        #expect(throws: StorageError.inUse(path: file.path)) { try file.open() }
        await journal.closed()
        _ = try file.open()
    }
}
