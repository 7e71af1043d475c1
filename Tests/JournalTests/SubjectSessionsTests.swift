import JSON
import Journal
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
        session.journal.append(
            session.revision,
            MemberChange(
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

    @Test("get the members of a stored state only as long as that is the newest", arguments: DurableStorage.allCases)
    func stored(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        let session = journal.create(Step.session(owner: "eve"))
        session.append(1, nil)
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

extension SessionJournal {
    /// Appends a commit that changes the members.
    fileprivate func append(_ revision: Int, _ change: MemberChange?) {
        let store = Step.kind.makeStore()
        store.step(revision)
        store.inspect { state in
            append(CommitTransaction(baseRevision: revision - 1, commits: state.commits, members: change), state)
        }
    }
}
