import JSON
import Journal
import Locks
import RedisJournal
import RedisTesting
import StoreHosting
import Stores
import Testing

/// A hall as two releases of a program know it: the second one has other seats, and a price.
private enum Hall {
    struct First: Sendable { var seats = 3 }

    struct Second: Sendable {
        var seats: [String] = []
        var price = 9
    }

    static let first = StoreDefinition("hall", "A hall.", First()) {
        Member("seats", \.seats)
        Action("add", "Adds a seat.") { $0.seats += 1 }
    }.kind

    static let second = StoreDefinition("hall", "A hall.", Second()) {
        Member("seats", \.seats)
        Member("price", \.price)
        Action("clear", "Frees all seats.") { $0.seats = [] }
    }.kind

    static let migrating = StoreDefinition(
        "hall", "A hall.", Second(), migrations: [.raw { state, _ in state["seats"] = [] }]
    ) {
        Member("seats", \.seats)
        Member("price", \.price)
        Action("clear", "Frees all seats.") { $0.seats = [] }
    }.kind

    /// Creates a session with some commits.
    static func create(_ id: String, kind name: String, _ journal: any Journal, commits: Int) async {
        let session = journal.create(
            SessionHeader(
                id: id, kind: name, schema: 1, createdAt: Step.moment, forkedFrom: nil, historyID: "h",
                initial: first.initialSnapshot))
        let store = first.makeStore(environment: StoreEnvironment(clock: Step.Clock()), recorder: session)
        for _ in 0..<commits { store.dispatch(["type": "hall/add"], DispatchOptions()) { _ in } }
        #expect(await session.awaitDurable() == nil)
    }
}

@Suite("Stored states")
struct StoredStateTests {
    private func fill(_ storage: any OpenableStorage) async throws {
        let journal = try storage.openJournal()
        for number in 0..<3 { await Hall.create("hall-\(number)", kind: "hall", journal, commits: number) }
        for number in 0..<2 { await Hall.create("room-\(number)", kind: "room", journal, commits: 1) }
        await Hall.create("gone", kind: "hall", journal, commits: 1)
        journal.end("gone", at: Step.moment)
        await journal.closed()
    }

    @Test("are sampled by kind, each as it is now", arguments: DurableStorage.allCases)
    func sample(kind: DurableStorage) async throws {
        let storage = try kind.make()
        try await fill(storage)
        let journal = try await storage.openedJournal()
        let all = try await journal.sample(10)
        #expect(Set(all.map(\.header.id)) == ["hall-0", "hall-1", "hall-2", "room-0", "room-1"])
        for state in all {
            let text = state.snapshot().map { String(decoding: $0.json, as: UTF8.self) }
            #expect(text == #"{"seats":\#(3 + state.revision)}"#)
            #expect(state.misfit(Hall.first, nil) == nil)
        }
        #expect(try await journal.sample(1).map(\.header.kind).sorted() == ["hall", "room"])
        // A session that was sampled still belongs to nobody.
        #expect(try await journal.session("hall-2").summary.revision == 2)
        await journal.closed()
    }

    @Test("fit if members are missing, and if a migration makes them fit")
    func misfits() throws {
        func misfit(_ json: String, _ kind: StoreKind) -> String? {
            let header = SessionHeader(
                id: "a", kind: "hall", schema: 1, createdAt: 0, forkedFrom: nil, historyID: "h",
                initial: StateSnapshot(json: Array(json.utf8)))
            return StoredState(
                header, revision: 0, ReplayableState(snapshot: nil, patches: [], privateState: nil)
            ).misfit(kind, nil)?.detail
        }
        #expect(misfit("{}", Hall.second) == nil)
        #expect(misfit(#"{"seats":["A1"]}"#, Hall.second) == nil)
        #expect(misfit(#"{"seats":4}"#, Hall.second) == "in the persisted state, /seats must be an array")
        #expect(misfit(#"{"seats":4}"#, Hall.migrating) == nil)
        #expect(misfit("[", Hall.second) == "its commits do not fit its snapshot")
    }

    @Test("of all sessions are read by commands", arguments: DurableStorage.allCases)
    func commands(kind: DurableStorage) async throws {
        let storage = try kind.make()
        try await fill(storage)
        var revisions: [String: Int] = [:]
        var progress: [Int] = []
        func read(_ id: String, _ state: Result<StoredState, JournalError>) {
            revisions[id] = (try? state.get())?.revision ?? -1
        }
        let asked = Locked<[String]>([])
        func misfit(_ state: StoredState) -> String? {
            asked.withLock { $0.append(state.header.id) }
            return state.header.id == "hall-1" ? state.misfit(Hall.second, nil)?.detail : nil
        }
        let found: SQLiteStorage.Verification
        switch storage {
        case let file as JournalFile:
            try SQLiteStorage.forEachState(in: file.path, read)
            found = try SQLiteStorage.verify(file.path, misfit: misfit)
        case let server as RedisServer:
            found = try server.reading { redis in
                try redis.forEachState(progress: { progress.append($0.done ?? 0) }, read)
                return try redis.verify(misfit: misfit)
            }
        default: throw Missing(id: "storage")
        }
        #expect(revisions == ["hall-0": 0, "hall-1": 1, "hall-2": 2, "room-0": 1, "room-1": 1])
        #expect(asked.withLock { $0.count } == 5)
        #expect(found.problems.isEmpty && found.sessions == 5)
        #expect(found.misfits == ["session hall-1: in the persisted state, /seats must be an array"])
        #expect(progress == (storage is RedisServer ? [1, 2, 3, 4, 5] : []))
    }

    @Test("are counted while they are read")
    func progress() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        for number in 0..<3 { _ = journal.create(Step.session("session-\(number)")) }
        await journal.closed()
        let counts = (1...3).map { StorageProgress(.readingSessions, $0, of: 3) }
        var progress: [StorageProgress] = []
        try SQLiteStorage.forEachState(in: file.path, progress: { progress.append($0) }, { _, _ in })
        #expect(progress == counts)
        progress = []
        _ = try SQLiteStorage.verify(file.path, progress: { progress.append($0) })
        #expect(progress.filter { $0.work == .readingSessions } == counts)
        // Its size is known, and how far SQLite is in it is not.
        let pages = try #require(progress.first)
        #expect(pages.work == .checkingPages && pages.done == nil && (pages.total ?? 0) >= 4096)
    }

    @Test("are counted in bytes when they are copied")
    func copying() async throws {
        let file = try JournalFile()
        await (try file.open()).closed()
        let copy = file.path + "-copy"
        var progress: [StorageProgress] = []
        try SQLiteStorage.backup(file.path, to: copy, progress: { progress.append($0) })
        let last = try #require(progress.last)
        #expect(last.work == .copyingPages && last.done == last.total && (last.total ?? 0) >= 4096)
    }
}
