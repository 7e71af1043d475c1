import CSQLite
import Foundation
import JSON
import Journal
import StoreHosting
import Stores
import Testing

@Suite("A process that ends, or a machine that loses power, after each write, sync or truncation")
struct CrashTests {
    /// Commits some at a time, all of them awaited, to sessions that are there or begin.
    private func work(_ journal: SQLiteJournal, _ ledger: Ledger, _ ids: [String], steps: Int = 2, rounds: Int = 2)
        async throws
    {
        for id in ids {
            let (session, store): (any SessionJournal, HostedStore)
            if ledger.all[id] != nil {
                guard let found = try? await journal.session(id) else { return }
                (session, store) = (found.journal, try Parcel.store(Parcel.first, found))
            } else {
                session = journal.create(Parcel.session(id))
                store = Parcel.store(session)
            }
            for _ in 0..<rounds {
                store.weigh(steps)
                guard await ledger.record(id, store.revision, { await session.awaitDurable() }) else { return }
            }
        }
    }

    /// A file with a few sessions, in whose log everything stands, or nothing does.
    private func file(closes: Bool) async throws -> (JournalFile, durable: [String: Int]) {
        let file = try JournalFile()
        let journal = try file.open()
        let ledger = Ledger()
        try await work(journal, ledger, ["a", "b"], steps: 20)
        guard closes else { return (try file.copy(), ledger.all.compactMapValues(\.durable)) }
        await journal.closed()
        return (file, ledger.all.compactMapValues(\.durable))
    }

    @Test("in a new file")
    func making() async throws {
        let count = try await crashAfterCalls(from: nil) { file, disk, ledger in
            guard let journal = try? file.open(vfs: disk.name) else { return }
            try await work(journal, ledger, ["a", "b"])
            await journal.closed()
        }
        #expect(count > 20)
    }

    @Test("in a file that is being brought up to date", arguments: [true, false])
    func upgrading(hasLog: Bool) async throws {
        let old = try await UpgradeTests.file().older(1, hasLog: hasLog)
        let durable = ["whole": 20, "idle": 0, "cut": 100, "gone": 10]
        let count = try await crashAfterCalls(from: old, durable: durable) { file, disk, ledger in
            guard let journal = try? file.open(vfs: disk.name) else { return }
            try await work(journal, ledger, ["new", "newer"])
            await journal.closed()
        }
        #expect(count > 20)
    }

    @Test("while the log is taken over, and begun anew", arguments: [true, false])
    func takingOver(closes: Bool) async throws {
        let (template, durable) = try await file(closes: closes)
        let count = try await crashAfterCalls(from: template, durable: durable) { file, disk, ledger in
            guard let journal = try? file.open(vfs: disk.name) else { return }
            for _ in 0..<2 {
                try await work(journal, ledger, ["a", "b"], rounds: 1)
                file.takeLogOver(disk)
            }
            await journal.closed()
        }
        #expect(count > 20)
    }

    @Test("while commits are sorted into their sessions, between others and at the end", arguments: [true, false])
    func sorting(closes: Bool) async throws {
        let (template, durable) = try await file(closes: closes)
        let count = try await crashAfterCalls(from: template, durable: durable, losing: [.nothing, .all]) {
            file, disk, ledger in
            guard let journal = try? file.open(sorting: SortingPolicy(maxBytes: 0), vfs: disk.name) else { return }
            try await work(journal, ledger, ["a", "c", "b"], rounds: 3)
            await journal.closed()
            guard !disk.hasEnded else { return }
            #expect(try file.number("SELECT count(*) FROM unsorted") == 0)
            #expect(try file.number("SELECT count(*) FROM commits") == 98)
        }
        #expect(count > 40)
    }

    @Test("while old commits go")
    func thinningOut() async throws {
        let (template, durable) = try await file(closes: true)
        let count = try await crashAfterCalls(from: template, durable: durable, losing: [.nothing, .all]) {
            file, disk, ledger in
            guard let journal = try? file.open(keepCommits: 16, vfs: disk.name) else { return }
            try await work(journal, ledger, ["a"], steps: 25, rounds: 3)
            await journal.closed()
            guard !disk.hasEnded else { return }
            #expect(try file.number("SELECT cut FROM sessions WHERE id = 'a'") >= 64)
        }
        #expect(count > 20)
    }

    @Test("while the members of a session change: its index is that of its last commit")
    func members() async throws {
        let template = try JournalFile()
        let first = try template.open()
        for id in ["a", "b"] {
            let session = first.create(Step.session(id))
            session.index([Self.member(0)])
            #expect(await session.awaitDurable() == nil)
        }
        await first.closed()
        let count = try await crashAfterCalls(from: template, durable: ["a": 0, "b": 0]) { file, disk, ledger in
            guard let journal = try? file.open(vfs: disk.name) else { return }
            var revisions = ["a": 0, "b": 0]
            for id in ["a", "b", "a"] {
                guard let session = try? await journal.session(id).journal, let base = revisions[id] else { break }
                for revision in base + 1...base + 2 {
                    session.appendCommit(revision, members: Self.change(revision))
                    guard await ledger.record(id, revision, { await session.awaitDurable() }) else { break }
                }
                revisions[id] = base + 2
            }
            await journal.closed()
        } check: { journal in
            for id in ["a", "b"] {
                let revision = try await journal.session(id).summary.revision
                for number in 0...5 {
                    let found = try await journal.sessions(
                        of: Subject(Self.member(number).text), as: .member, after: nil, limit: 10)
                    #expect(found.contains { $0.header.id == id } == (number == revision))
                }
            }
        }
        #expect(count > 20)
    }

    /// The only member of the state of a revision.
    private static func member(_ revision: Int) -> ActorID { ActorID("member-\(revision)") }

    private static func change(_ revision: Int) -> MemberChange {
        MemberChange(added: [member(revision)], removed: [member(revision - 1)])
    }

    @Test("while a session's state is migrated to what its kind makes of it now")
    func migrating() async throws {
        let template = try JournalFile()
        let first = try template.open()
        let session = first.create(Parcel.session())
        Parcel.store(session).weigh(3)
        #expect(await session.awaitDurable() == nil)
        await first.closed()
        let count = try await crashAfterCalls(from: template, durable: ["parcel": 3]) { file, disk, ledger in
            guard let journal = try? file.open(vfs: disk.name) else { return }
            _ = try? await goOn(journal, ledger)
            await journal.closed()
        } check: { journal in
            let store = try await goOn(journal, Ledger(["parcel": 0]))
            let entries = try await journal.session("parcel").journal.commits(after: 0) ?? []
            #expect(entries.map(\.type).filter { $0 == "store/migrated" }.count == 1)
            #expect(entries.map(\.revision) == Array(1...entries.count))
            let state = try JSONValue(parsing: store.read().json)
            #expect(state == ["grams": .integer(entries.count - 1)])
        }
        #expect(count > 10)
    }

    /// Resumes the session as the newer kind, and commits once.
    private func goOn(_ journal: SQLiteJournal, _ ledger: Ledger) async throws -> HostedStore {
        let found = try await journal.session("parcel")
        let store = try Parcel.store(Parcel.second, found)
        guard await ledger.record("parcel", store.revision, { await found.journal.awaitDurable() }) else {
            return store
        }
        store.weigh()
        _ = await ledger.record("parcel", store.revision) { await found.journal.awaitDurable() }
        return store
    }
}

extension JournalFile {
    /// Takes the log over into the file, as far as that works.
    fileprivate func takeLogOver(_ disk: FaultyDisk) {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, disk.name) == SQLITE_OK else { return }
        sqlite3_exec(handle, "PRAGMA wal_checkpoint", nil, nil, nil)
    }
}
