import JSON
import Journal
import StoreHosting
import Stores
import Testing

@Suite("The owner of a session, and how often its shares were revoked")
struct OwnerTests {
    @Test(
        "are covered by the checksums",
        arguments: [
            ("alice", "owner = 'mallory'"), ("alice", "owner = NULL"), ("alice", "shares = 0"),
            ("alice", "personal = 1"), (nil, "owner = 'mallory'"), (nil, "personal = 1"), (nil, "shares = 3"),
        ])
    func areCovered(owner: String?, change: String) async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Parcel.session("a", owner))
        session.record(.revokedAll(generation: 1, []))
        await session.awaitDurable()
        await journal.closed()
        try file.change("UPDATE sessions SET \(change)")
        #expect(try SQLiteStorage.verify(file.path).damagedSessions == 1)
    }

    @Test("The owner is read without the commits, so that others do not wait for these")
    func isReadAlone() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session("a", owner: "alice"))
        Step.store(session).step(3)
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        try file.change("UPDATE commits SET type = 'other'")
        let damaged = try file.open()
        #expect(try await damaged.load("a", for: "bob").word == "foreign")
        await #expect(throws: JournalError.self) { _ = try await damaged.load("a", for: "alice") }
        await damaged.closed()
    }

    @Test("The owner is found by an index")
    func usesIndex() async throws {
        let file = try JournalFile()
        await (try file.open()).closed()
        for (query, index) in [
            ("owner = 'a' AND kind = 'b' AND personal", "sessions_by_person"),
            ("owner = 'a' AND kind = 'b' AND id > 'c'", "sessions_by_owner"),
        ] {
            let plan = "SELECT id FROM sessions WHERE \(query) AND ended IS NULL ORDER BY id"
            let names = try file.texts("EXPLAIN QUERY PLAN \(plan)", column: 3)
            #expect(names.count == 1 && names[0].contains(index), "\(names)")
        }
    }

    private static let permits: ModelPermits = {
        var permits = ModelPermits()
        for _ in 0..<3 { _ = permits.make() }
        return permits
    }()

    private static let permitRows = SessionRows(
        sessions: "SELECT DISTINCT session FROM permits WHERE terms <> ''",
        damage: "UPDATE permits SET terms = replace(terms, 'null', 'true')",
        forged: [("\"id\":\"0_1-", "\"id\":\"0.1-"), ("\"terms\":{", "\"terms\":{}, \"x\":{"), ("0_2-", "0_1-")],
        fill: { session in
            for record in permits.records { session.record(.made(record, dropped: [])) }
        },
        match: { permits.match($0) }, areMissing: \.permits.isEmpty)

    @Test("The terms of permits are deleted with their session, and damage of one is noticed")
    func deletedPermits() async throws { try await Self.permitRows.expectDeletion() }

    @Test("An export has the permits, and an import under the same id too; under another one nobody could use them")
    func exportedPermits() async throws { try await Self.permitRows.expectTransfer() }

    @Test("A backup has them; an export has the owner on request, and the revocations always")
    func maintenance() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Parcel.session("a", "alice", kind: "parcel", isPersonal: true))
        session.record(.revokedAll(generation: 5, []))
        await session.awaitDurable()
        await journal.closed()
        let copy = try JournalFile()
        try SQLiteStorage.backup(file.path, to: copy.path)
        let backup = try copy.open()
        let restored = try await backup.session("a").summary
        #expect(restored.header.owner == "alice" && restored.header.isPersonal && restored.shareGeneration == 5)
        #expect(try await backup.personalSession(of: "alice", kind: "parcel") == "a")
        await backup.closed()

        for withOwner in [true, false] {
            let target = try JournalFile()
            let document = try SQLiteStorage.export("a", from: file.path, withOwner: withOwner)
            #expect(String(decoding: document, as: UTF8.self).contains("alice") == withOwner)
            _ = try SQLiteStorage.insert(document, into: target.path, as: nil, objection: Parcel.objection)
            #expect(try SQLiteStorage.verify(target.path).problems.isEmpty)
            let imported = try target.open()
            let summary = try await imported.session("a").summary
            #expect(summary.header.owner == (withOwner ? "alice" : nil))
            #expect(summary.header.isPersonal == withOwner && summary.shareGeneration == 5)
            await imported.closed()
            // With the owner it would be the second personal session.
            let again = try? SQLiteStorage.insert(document, into: target.path, as: "b", objection: Parcel.objection)
            #expect(again == (withOwner ? nil : "b"))
        }
    }
}
