import JSON
import Journal
import RedisJournal
import RedisTesting
import StoreHosting
import Stores
import Testing

@Suite("The sessions of a subject in a durable journal", .timeLimit(.minutes(5)))
struct SubjectSessionsTests {
    /// A session as the model has it.
    private struct Session {
        let owner: String?
        var members: Set<ActorID>
        var revision = 0
        var journal: any SessionJournal
    }

    private static let subjects = ["ada", "Ada", "caf\u{e9}", "cafe\u{301}", "", "o", "m\u{0}\n", "guest:1"]

    @Test(
        "are those of a model, over ends and crashes", arguments: DurableStorage.allCases,
        0..<RandomTransactionTests.seeds)
    func model(kind: DurableStorage, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var storage = try kind.make()
        var journal = try storage.openJournal()
        var model: [String: Session] = [:]
        var count = 0
        for _ in 0..<5 {
            for _ in 0..<25 {
                if model.count < 3 || Int.random(in: 0..<4, using: &random) == 0 {
                    count += 1
                    let id = "session-\(count)"
                    model[id] = Self.created(id, in: journal, &random)
                } else if let id = model.keys.sorted().randomElement(using: &random), var session = model[id] {
                    if Int.random(in: 0..<6, using: &random) == 0 {
                        session.journal.end(at: Step.moment)
                        model[id] = nil
                    } else {
                        Self.commit(&session, &random)
                        model[id] = session
                    }
                }
            }
            for session in model.values { #expect(await session.journal.awaitDurable() == nil) }
            // The lookup comes behind all that the storage was given.
            for id in 1...count { _ = try await journal.found("session-\(id)") }
            try await Self.expect(journal, model)
            if Bool.random(using: &random) {
                await journal.closed()
            } else {
                storage = try await storage.crash(journal)
            }
            journal = try storage.openJournal()
            try await Self.expect(journal, model)
            for id in model.keys {
                guard let session = model[id] else { continue }
                let found = try await journal.session(id)
                #expect(found.summary.revision == session.revision)
                model[id]?.journal = found.journal
                // As whoever loads a session does.
                found.journal.index(Array(session.members))
                #expect(await found.journal.awaitDurable() == nil)
            }
            try await Self.expect(journal, model)
        }
        await journal.closed()
        #expect(try storage.problems().isEmpty)
    }

    private static func created(
        _ id: String, in journal: any Journal, _ random: inout SeededRandom
    ) -> Session {
        let owner = Bool.random(using: &random) ? subjects.filter { !$0.isEmpty }.randomElement(using: &random) : nil
        let made = journal.create(Step.session(id, owner: owner))
        let members = chosen(&random)
        if !members.isEmpty { made.index(Array(members)) }
        return Session(owner: owner, members: members, journal: made)
    }

    private static func commit(_ session: inout Session, _ random: inout SeededRandom) {
        let members = chosen(&random)
        session.revision += 1
        session.journal.appendCommit(
            session.revision,
            members: MemberChange(
                added: Array(members.subtracting(session.members)), removed: Array(session.members.subtracting(members))
            ))
        session.members = members
    }

    private static func chosen(_ random: inout SeededRandom) -> Set<ActorID> {
        Set(subjects.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map { ActorID($0) })
    }

    private static func expect(_ journal: any Journal, _ model: [String: Session]) async throws {
        for subject in subjects {
            for role in [SessionRole?.none, .owner, .member] {
                let wanted = model.filter { _, session in
                    role != .member && session.owner == subject
                        && session.owner?.utf8.elementsEqual(subject.utf8) == true
                        || role != .owner && session.members.contains(ActorID(subject))
                }
                var (found, last): ([SessionSummary], String?) = ([], nil)
                repeat {
                    let page = try await journal.sessions(of: Subject(subject), as: role, after: last, limit: 3)
                    found += page
                    last = page.count == 3 ? page.last?.header.id : nil
                } while last != nil
                #expect(
                    found.map(\.header.id).sorted() == wanted.keys.sorted(), "\(subject) as \(String(describing: role))"
                )
                for summary in found { #expect(summary.revision == model[summary.header.id]?.revision) }
            }
        }
    }

    @Test("are never fewer than those of the commits on Redis, whichever commit is refused between its two scripts")
    func refusedCommit() async throws {
        let server = try RedisServer()
        let journal = try server.open()
        let session = journal.create(Step.session())
        session.index(["ada", "bob"])
        #expect(await session.awaitDurable() == nil)
        func listed(_ subject: String) async throws -> Bool {
            try await !journal.sessions(of: Subject(subject), as: .member, after: nil, limit: 10).isEmpty
        }
        // The scripts of the index run also with a full memory, and the one of the commit does not.
        try server.execute("CONFIG", "SET", "maxmemory", "1")
        session.appendCommit(1, members: MemberChange(added: ["eve"], removed: ["bob"]))
        guard case .unavailable = await session.awaitDurable() else { throw Missing(id: "failure") }
        try server.execute("CONFIG", "SET", "maxmemory", "0")
        try await eventually { journal.isAvailable }
        let found = try await journal.session("session")
        #expect(found.summary.revision == 0)
        // The addition went before the commit, and the removal would have come behind it.
        for subject in ["ada", "bob", "eve"] { #expect(try await listed(subject), "\(subject)") }
        // Whoever loads the session makes the index that of its state.
        found.journal.index(["ada", "bob"])
        #expect(await found.journal.awaitDurable() == nil)
        #expect(try await listed("bob"))
        #expect(try await !listed("eve"))
        found.journal.appendCommit(1, members: MemberChange(added: ["eve"], removed: ["bob"]))
        #expect(await found.journal.awaitDurable() == nil)
        try await eventually { try await !listed("bob") }
        #expect(try await listed("eve"))
        await journal.closed()
    }

    @Test("are changed on Redis with a load only where they differ")
    func differences() async throws {
        let server = try RedisServer()
        let journal = try server.open()
        let session = journal.create(Step.session(owner: "ada"))
        session.index(["ada", "bob"])
        #expect(await session.awaitDurable() == nil)
        func listed(_ subject: String) async throws -> Bool {
            try await !journal.sessions(of: Subject(subject), as: nil, after: nil, limit: 10).isEmpty
        }
        for (members, changes) in [(["bob", "ada"], [:]), (["bob", "eve"], ["sadd": 1, "srem": 1, "zrem": 1])] {
            let loaded = try await journal.session("session").journal
            try server.execute("CONFIG", "RESETSTAT")
            loaded.index(members.map { ActorID($0) })
            #expect(await loaded.awaitDurable() == nil)
            let lines = try server.execute("INFO", "commandstats").flatMap { $0.split(whereSeparator: \.isNewline) }
            for command in ["sadd", "srem", "zrem"] {
                let calls = lines.first { $0.hasPrefix("cmdstat_\(command):") }
                #expect(calls?.contains(":calls=\(changes[command] ?? 0),") ?? (changes[command] == nil), "\(command)")
            }
            for subject in members + ["ada"] { #expect(try await listed(subject)) }
        }
        #expect(try await journal.sessions(of: "ada", as: .member, after: nil, limit: 10).isEmpty)
        await journal.closed()
    }

    @Test("have the owners of an earlier release once they were added, whatever is committed meanwhile")
    func owners() async throws {
        let server = try RedisServer()
        var journal = try server.open()
        let session = journal.create(Step.session(owner: "ada"))
        session.appendCommit(1)
        #expect(await session.awaitDurable() == nil)
        for key in try server.execute("KEYS", "{test}:of:*") + server.execute("KEYS", "{test}:has:*") {
            try server.execute("DEL", key)
        }
        func listed() async throws -> Int {
            try await journal.sessions(of: "ada", as: .owner, after: nil, limit: 10).count
        }
        #expect(try await listed() == 0 && journal.mayLackOwners)
        try await journal.index(nil, of: "session", at: 0)
        #expect(try await listed() == 1)
        journal.recordIndexedOwners()
        await journal.closed()
        journal = try server.open()
        #expect(!journal.mayLackOwners)
        await journal.closed()
    }

    @Test("get the members of a stored state only as long as that is the newest", arguments: DurableStorage.allCases)
    func stored(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        let session = journal.create(Step.session(owner: "eve"))
        session.appendCommit(1)
        #expect(await session.awaitDurable() == nil)
        func listed() async throws -> Int {
            try await journal.sessions(of: "ada", as: .member, after: nil, limit: 10).count
        }
        for revision in [0, 2] { try await journal.index(["ada"], of: "session", at: revision) }
        #expect(try await listed() == 0)
        try await journal.index(["ada"], of: "session", at: 1)
        #expect(try await listed() == 1)
        try await journal.index(["ada"], of: "unknown", at: 0)
        #expect(try await journal.sessions(of: "eve", as: .owner, after: nil, limit: 10).count == 1)
        #expect(try await journal.newestState(of: "session")?.revision == 1)
        #expect(try await journal.newestState(of: "unknown") == nil)
        await journal.closed()
    }
}
