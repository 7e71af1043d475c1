import Journal
import StoreHosting
import Testing

/// Rows that a session has in a table of its database.
struct SessionRows: Sendable {
    /// A query for the numbers of the sessions that have some.
    let sessions: String
    /// A statement that damages some.
    let damage: String
    /// Texts of an export that has some, and others with which no import takes it.
    let forged: [(String, String)]
    /// Gives a session some.
    let fill: @Sendable (any SessionJournal) -> Void
    /// Whether a session that was loaded has those that `fill` gives.
    let match: @Sendable (SessionSummary) -> Bool
    /// Whether a session that was loaded has none.
    let areMissing: @Sendable (SessionSummary) -> Bool

    /// Whether they are deleted with their session, and damage of one is noticed.
    func expectDeletion() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let sessions = ["a", "b"].map { journal.create(Parcel.session($0)) }
        for session in sessions {
            fill(session)
            #expect(await session.awaitDurable() == nil)
        }
        sessions[0].end(at: Step.moment)
        await journal.closed()
        let again = try file.open()
        await again.closed()
        #expect(try file.texts(self.sessions, column: 0).count == 1)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
        try file.change(damage)
        #expect(try SQLiteStorage.verify(file.path).problems.count == 1)
    }

    /// Whether an export has them, and an import under the same id too, and under another one none.
    func expectTransfer() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Parcel.session("a", kind: "parcel"))
        fill(session)
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        let document = try SQLiteStorage.export("a", from: file.path)
        for id in ["a", "b"] {
            let target = try JournalFile()
            _ = try SQLiteStorage.insert(document, into: target.path, as: id, objection: Parcel.objection)
            let imported = try target.open()
            let summary = try await imported.session(id).summary
            #expect(id == "a" ? match(summary) : areMissing(summary))
            await imported.closed()
        }
        for (text, other) in forged {
            let wrong = String(decoding: document, as: UTF8.self).replacing(text, with: other)
            let target = try JournalFile()
            #expect(throws: StorageError.self) {
                try SQLiteStorage.insert(Array(wrong.utf8), into: target.path, as: nil, objection: Parcel.objection)
            }
        }
    }
}
