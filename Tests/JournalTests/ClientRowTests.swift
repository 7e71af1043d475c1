import JSON
import Journal
import StoreHosting
import Testing

@Suite("The records of clients")
struct ClientRowTests {
    private static func append(_ change: ClientChange, to session: any SessionJournal, _ store: HostedStore) {
        store.inspect { state in
            session.append(CommitTransaction(baseRevision: state.revision, record: .client(change)), state)
        }
    }

    @Test("are put, replaced and dropped, with commits and alone", arguments: DurableStorage.allCases)
    func changes(kind: DurableStorage) async throws {
        var storage = try kind.make()
        var journal = try storage.openJournal()
        let session = journal.create(Step.session())
        let store = Step.store(session)
        var clients = ModelClients()
        for change in [clients.put(), clients.put(), clients.put(again: 0), clients.put(dropping: 1)] {
            Self.append(change, to: session, store)
        }
        var options = DispatchOptions()
        let change = clients.put()
        options.record = { _ in .client(change) }
        store.dispatch(["type": "step"], options) { _ in }
        #expect(await session.awaitDurable() == nil)
        storage = try await storage.crash(journal)
        journal = try storage.openJournal()
        let found = try await journal.session("session")
        #expect(found.summary.revision == 1 && clients.rows.count == 3 && clients.match(found.summary))
        await journal.closed()
        #expect(try storage.problems().isEmpty)
    }

    @Test("are as many as a session may have, and are all dropped at once", arguments: DurableStorage.allCases)
    func many(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        let session = journal.create(Step.session())
        let store = Step.store(session)
        var clients = ModelClients()
        for _ in 0..<2000 { Self.append(clients.put(), to: session, store) }
        #expect(await session.awaitDurable() == nil)
        // Only the newest claim may append.
        let found = try await journal.session("session")
        #expect(clients.match(found.summary))
        Self.append(clients.put(dropping: 2000), to: found.journal, store)
        #expect(await found.journal.awaitDurable() == nil)
        let last = try await journal.session("session").summary
        #expect(clients.rows.count == 1 && clients.match(last))
        await journal.closed()
    }

    private static let clients: ModelClients = {
        var clients = ModelClients()
        for _ in 0..<2 { _ = clients.put() }
        return clients
    }()

    private static let rows = SessionRows(
        sessions: "SELECT DISTINCT session FROM clients",
        damage: "UPDATE clients SET content = replace(content, 'caf', 'cof')",
        forged: [("\"mark\":\"1-", "\"mark\":\"1."), ("\"record\":{", "\"record\":{}, \"x\":{"), ("2-_", "1-_")],
        fill: { session in
            let store = Parcel.store(session)
            for row in clients.rows { append(ClientChange(put: row), to: session, store) }
        },
        match: { clients.match($0) }, areMissing: \.clients.isEmpty)

    @Test("are deleted with their session, and damage of one is noticed")
    func deletion() async throws { try await Self.rows.expectDeletion() }

    @Test("are exported, and imported under the same id; another session has none")
    func exported() async throws { try await Self.rows.expectTransfer() }

    @Test("are in a backup")
    func backup() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Parcel.session("a"))
        var clients = ModelClients()
        Self.append(clients.put(), to: session, Parcel.store(session))
        #expect(await session.awaitDurable() == nil)
        let copy = try JournalFile()
        try SQLiteStorage.backup(file.path, to: copy.path)
        await journal.closed()
        let restored = try copy.open()
        let summary = try await restored.session("a").summary
        #expect(clients.match(summary))
        await restored.closed()
    }

    @Test("get their table in a file that was made before there were clients")
    func fileWithoutTable() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Parcel.session("a", kind: "parcel"))
        Parcel.store(session).dispatch([["type": "weigh"]], DispatchOptions()) { _ in }
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        try file.change("DROP TABLE clients")
        // Commands read such a file as it is.
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
        #expect(!String(decoding: try SQLiteStorage.export("a", from: file.path), as: UTF8.self).contains("clients"))
        #expect(try file.texts("SELECT name FROM sqlite_master WHERE name = 'clients'", column: 0) == [])
        let again = try file.open()
        let found = try await again.session("a")
        #expect(found.summary.revision == 1 && found.summary.clients.isEmpty)
        var clients = ModelClients()
        let change = clients.put()
        Parcel.first.makeStore().inspect { state in
            found.journal.append(CommitTransaction(baseRevision: 1, record: .client(change)), state)
        }
        #expect(await found.journal.awaitDurable() == nil)
        await again.closed()
        let last = try file.open()
        let summary = try await last.session("a").summary
        #expect(clients.match(summary))
        await last.closed()
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test(
        "have a table of one form only",
        arguments: [
            "CREATE TABLE clients (session INTEGER, mark TEXT)", "CREATE VIEW clients AS SELECT 1",
            "CREATE TABLE clients (session INTEGER NOT NULL, mark TEXT NOT NULL, content TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT",
        ])
    func otherTable(sql: String) async throws {
        let file = try JournalFile()
        let journal = try file.open()
        await journal.closed()
        try file.change("DROP TABLE clients; \(sql)")
        #expect(throws: StorageError.self) { try file.open() }
    }
}
