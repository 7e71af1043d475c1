import Foundation
import JSON
import Journal
import StoreHosting
import Stores
import Testing

@Suite("A damaged database")
struct DamageTests {
    private struct Expected {
        let summary: SessionSummary
        let state: JSONValue?
        let log: [Int]?
    }

    /// How many damaged files were refused, and how many of their sessions were whole or damaged.
    private struct Tally {
        var files = 0
        var refusedFiles = 0
        var wholeSessions = 0
        var damagedSessions = 0
    }

    enum Damage: CaseIterable {
        case zeros, noise, otherPage, flippedBits
    }

    /// Sessions of many sizes: without commits, with some, with deleted ones, with large states; and ended ones.
    private static func file() async throws -> JournalFile {
        let file = try JournalFile()
        let journal = try file.open(keepCommits: 16)
        for number in 0..<40 {
            let id = "session-\(number)"
            var header = Step.session(id)
            if number.isMultiple(of: 8) {
                let text = JSONValue.string(String(repeating: "\(number) ", count: 1500))
                header = SessionHeader(
                    id: id, kind: "steps", schema: 1, createdAt: Step.moment, forkedFrom: 3, historyID: "h\(number)",
                    initial: StateSnapshot(json: JSONValue.object(["count": 0, "text": text]).encoded()))
            }
            let session = journal.create(header)
            let store = Step.store(session)
            store.step([0, 1, 5, 20, 0, 2, 90, 3][number % 8])
            store.append(
                IdempotencyRecord(key: id, fingerprint: 1, response: [1, 2, 3], at: Step.moment), to: session)
            if number > 36 { session.end(at: Step.moment) }
            #expect(await session.awaitDurable() == nil)
        }
        await journal.closed()
        return file
    }

    private static func expected(_ file: JournalFile) async throws -> [String: Expected] {
        var expected: [String: Expected] = [:]
        let journal = try file.open()
        for summary in try await journal.listed() {
            let found = try await journal.session(summary.header.id)
            expected[summary.header.id] = Expected(
                summary: found.summary, state: found.replayable.state(initial: summary.header.initial.json),
                log: try await found.journal.commits(after: 0)?.map(\.revision))
        }
        await journal.closed()
        return expected
    }

    private static func change(
        _ bytes: inout Data, page: Int, _ damage: Damage, _ random: inout SeededRandom
    ) {
        let range = page * 4096..<(page + 1) * 4096
        switch damage {
        case .zeros: bytes.replaceSubrange(range, with: Data(count: 4096))
        case .noise:
            bytes.replaceSubrange(range, with: (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) })
        case .otherPage:
            let other = Int.random(in: 1..<(bytes.count / 4096), using: &random) * 4096
            bytes.replaceSubrange(range, with: Data(bytes[other..<(other + 4096)]))
        case .flippedBits:
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: range, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
        }
    }

    /// Loads every session of a damaged file.
    private func check(
        _ file: JournalFile, _ expected: [String: Expected], _ tally: inout Tally, _ comment: Comment
    ) async throws {
        tally.files += 1
        guard let journal = try? file.open() else {
            tally.refusedFiles += 1
            #expect((try? SQLiteStorage.verify(file.path).problems.isEmpty) != true, comment)
            return
        }
        var damaged: [String] = []
        for (id, known) in expected {
            do {
                guard case .session(let summary, let replayable, _, let session) = try await journal.found(id) else {
                    Issue.record("\(id) is not found: \(comment)")
                    continue
                }
                let state = replayable.state(initial: summary.header.initial.json)
                #expect(summary == known.summary, comment)
                #expect(state == known.state, comment)
                // Older commits may be damaged: then the log cannot be read, but it is never shorter.
                if let log = try? await session.commits(after: 0)?.map(\.revision) {
                    #expect(log == known.log, comment)
                }
                tally.wholeSessions += 1
            } catch JournalError.corrupt {
                damaged.append(id)
            }
        }
        await journal.closed()
        tally.damagedSessions += damaged.count
        guard !damaged.isEmpty else { return }
        let problems = try SQLiteStorage.verify(file.path).problems
        for id in damaged {
            #expect(problems.contains { $0.hasPrefix("session \(id): ") }, "\(id) is not named: \(comment)")
        }
    }

    @Test("shows each session whole or as damaged, never shortened", arguments: Damage.allCases)
    func neverShortensASession(damage: Damage) async throws {
        let file = try await Self.file()
        let expected = try await Self.expected(file)
        #expect(expected.count == 37)
        let whole = try Data(contentsOf: URL(fileURLWithPath: file.path))
        for seed in 1...max(1, RandomTransactionTests.seeds / 4) {
            var random = SeededRandom(seed: seed)
            var tally = Tally()
            // Without the first page the file is refused, whatever else it has.
            for page in 1..<(whole.count / 4096) {
                var bytes = whole
                Self.change(&bytes, page: page, damage, &random)
                guard bytes != whole else { continue }
                let copy = try JournalFile()
                try bytes.write(to: URL(fileURLWithPath: copy.path))
                try await check(copy, expected, &tally, "page \(page), \(damage), seed \(seed)")
            }
            // Few single bits change the stored data.
            let least = damage == .flippedBits ? 10 : 300
            #expect(tally.files > 20 && tally.damagedSessions > least && tally.refusedFiles * 10 < tally.files)
        }
    }

    @Test("does not hide a session that its index has lost, and lets it be deleted")
    func sessionMissingInIndex() async throws {
        let file = try await Self.file()
        // A copy of the index without one entry.
        try file.change(
            """
            PRAGMA writable_schema = ON;
            CREATE TABLE twin (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
            INSERT INTO twin SELECT number, id FROM sessions WHERE number != 7;
            UPDATE sqlite_schema
            SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_twin_1')
            WHERE name = 'sqlite_autoindex_sessions_1';
            DELETE FROM sqlite_schema WHERE tbl_name = 'twin';
            """)
        let journal = try file.open()
        await #expect(throws: JournalError.self) { try await journal.found("session-6") }
        #expect(try await journal.found("session-5").word == "session")
        #expect(try await journal.found("none").word == "unknown")
        await journal.closed()
        #expect(
            try SQLiteStorage.verify(file.path).problems.contains { $0.hasPrefix("session session-6: the index") })
        var listed: [String: String?] = [:]
        try SQLiteStorage.listSessions(file.path) { listed[$0.id] = .some($0.damage) }
        #expect(listed.count == 37 && listed["session-6"] != .some(nil) && listed["session-5"] == .some(nil))
        try SQLiteStorage.deleteSession("session-6", from: file.path)
        #expect(throws: StorageError.self) { try SQLiteStorage.deleteSession("session-6", from: file.path) }
        #expect(try file.number("SELECT count(*) FROM commits WHERE session = 7") == 0)
    }

    @Test("loses nothing of a session whose log is compacted while a page that it does not use is damaged")
    func damageBesideCompaction() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        Step.store(session).step(300)
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        let document = try SQLiteStorage.export("session", from: file.path)
        for number in 0..<30 { _ = try SQLiteStorage.insert(document, into: file.path, as: "other-\(number)") }
        // New rows go to the rightmost leaf of the table.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
        var page = 4096 * (try file.number("SELECT rootpage FROM sqlite_schema WHERE name = 'segments'") - 1)
        while bytes[page] == 5 {
            page = 4096 * (bytes[page + 8..<page + 12].reduce(0) { $0 << 8 | Int($1) } - 1)
        }
        bytes.replaceSubrange(page..<page + 4096, with: repeatElement(0, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: file.path))
        let next = try file.open(keepCommits: 100, sorting: SortingPolicy(maxBytes: 0))
        let found = try await next.session("session").journal
        Step.store(found, from: 300).step()
        #expect(await found.awaitDurable() == nil)
        await next.closed()
        let again = try file.open()
        #expect(try await again.session("session").journal.commits(after: 0)?.map(\.revision) == Array(1...301))
        await again.closed()
    }

    @Test("refuses further commits of a session whose rows are gone, and no other session's")
    func damageWhileInUse() async throws {
        let file = try await Self.file()
        let journal = try file.open()
        let session = try await journal.session("session-3").journal
        let other = try await journal.session("session-5").journal
        try file.change("DELETE FROM sessions WHERE id = 'session-3'")
        Step.store(session, from: 20).step()
        Step.store(other, from: 2).step()
        guard case .corrupt = await session.awaitDurable() else { throw Missing(id: "damage") }
        #expect(await other.awaitDurable() == nil)
        #expect(journal.isAvailable)
        #expect(try await journal.session("session-5").summary.revision == 3)
        await journal.closed()
        #expect(try file.number("SELECT count(*) FROM commits WHERE session = 4") == 20)
    }
}
