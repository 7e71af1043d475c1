import Dispatch
import JSON
import Journal
import Locks
import StoreHosting
import Stores
import Testing

@Suite("Whatever is read while commits are sorted")
struct SortingPropertyTests {
    private static let keepCommits = 40

    @Test("is what a journal in memory has, over ends and crashes", arguments: 0..<RandomTransactionTests.seeds)
    func sameAsInMemory(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        // In half of the cases old commits are deleted.
        let keepCommits = seed.isMultiple(of: 2) ? Self.keepCommits : 100_000
        var file = try JournalFile()
        var journal = try open(file, keepCommits, &random)
        var sessions: [ModelSession] = []
        for round in 0..<6 {
            for _ in 0..<25 {
                try await change(&sessions, journal, &random)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    for session in sessions where session.journal.withLock(\.self) != nil {
                        await session.awaitDurable()
                    }
                    try await check(sessions, journal, keepCommits, &random)
                }
            }
            for session in sessions where session.journal.withLock(\.self) != nil { await session.awaitDurable() }
            try await check(sessions, journal, keepCommits, &random)
            try check(sessions, file)
            if Bool.random(using: &random) {
                await journal.closed()
                #expect(try file.number("SELECT count(*) FROM unsorted") == 0)
            } else {
                // A backup has the commits of one moment, some of them sorted.
                let copy = try JournalFile()
                try SQLiteStorage.backup(file.path, to: copy.path)
                await journal.closed()
                file = copy
            }
            try check(sessions, file)
            journal = try open(file, keepCommits, &random)
            for session in sessions { session.journal.withLock { $0 = nil } }
            #expect(journal.sessionCount == sessions.count, "round \(round)")
        }
        await journal.closed()
        try check(sessions, file)
    }

    private func open(_ file: JournalFile, _ keepCommits: Int, _ random: inout SeededRandom) throws -> SQLiteJournal {
        let sorting = SortingPolicy(
            maxBytes: [0, 0, 3000, 1 << 20].randomElement(using: &random) ?? 0,
            delay: [.milliseconds(0), .milliseconds(3), .seconds(3600)].randomElement(using: &random) ?? .seconds(1),
            stepCommits: Int.random(in: 1...10, using: &random))
        return try file.open(keepCommits: keepCommits, sorting: sorting)
    }

    private func change(
        _ sessions: inout [ModelSession], _ journal: SQLiteJournal, _ random: inout SeededRandom
    ) async throws {
        switch Int.random(in: 0..<20, using: &random) {
        case _ where sessions.isEmpty, 0, 1:
            let number = Int.random(in: 0..<1_000_000, using: &random)
            let owner = Bool.random(using: &random) ? "owner \(number)" : nil
            let header = Parcel.session("\(number)", owner, isPersonal: owner != nil && Bool.random(using: &random))
            sessions.append(ModelSession(header, weight: 0, journal))
        case 2:
            guard let parent = sessions.randomElement(using: &random) else { return }
            try await parent.load(journal)
            let revision = Int.random(in: max(0, parent.revision - 10)...parent.revision, using: &random)
            let state = try await parent.tried()?.replayBase(for: revision)?.state(initial: parent.header.initial.json)
            #expect(state?["weight"]?.asInteger == parent.weight + revision)
            guard let state else { return }
            let header = SessionHeader(
                id: "fork \(Int.random(in: 0..<1_000_000, using: &random))", kind: "parcels", schema: 1,
                createdAt: Step.moment, forkedFrom: revision, historyID: "h",
                initial: StateSnapshot(json: state.encoded()))
            sessions.append(ModelSession(header, weight: parent.weight + revision, journal))
        case 3:
            guard sessions.count > 4 else { return }
            let session = sessions.remove(at: Int.random(in: 0..<sessions.count, using: &random))
            try await session.load(journal)
            session.tried()?.end(at: Step.moment)
            #expect(try await journal.found(session.header.id).word == "ended")
        case 4:
            guard let session = sessions.randomElement(using: &random) else { return }
            try await session.load(journal)
            session.tried()?.record(session.changePermits(&random))
        default:
            guard let session = sessions.randomElement(using: &random) else { return }
            try await session.load(journal)
            try session.weigh(Int.random(in: 1...12, using: &random), &random)
        }
    }

    private func check(
        _ sessions: [ModelSession], _ journal: SQLiteJournal, _ keepCommits: Int, _ random: inout SeededRandom
    ) async throws {
        let listed = try await journal.listed(limit: 1000)
        let sorted = sessions.sorted { $0.header.id < $1.header.id }
        #expect(listed.count == sorted.count)
        for (summary, session) in zip(listed, sorted) { #expect(session.hasSummary(summary, isListed: true)) }
        let moment = Step.moment + Int.random(in: 0...50, using: &random)
        #expect(
            Set(try await journal.idleSessions(before: moment, limit: 1000))
                == Set(sessions.filter { $0.lastActiveAt < moment && $0.deadline == nil }.map(\.header.id)))
        #expect(
            Set(try await journal.dueSessions(until: .max, limit: 1000).map(\.id))
                == Set(sessions.filter { $0.deadline != nil }.map(\.header.id)))
        for session in sessions.shuffled(using: &random).prefix(3) {
            if session.header.isPersonal, let owner = session.header.owner {
                #expect(try await journal.personalSession(of: owner, kind: "parcels") == session.header.id)
            }
            let found = try await journal.session(session.header.id)
            #expect(session.hasSummary(found.summary) && found.answers == session.answers)
            #expect(
                found.replayable.state(initial: session.header.initial.json) == [
                    "weight": .integer(session.weight + session.revision)
                ])
            for reader in [found.journal, session.tried() ?? found.journal] {
                try await check(session, reader, keepCommits, &random)
            }
        }
    }

    /// Reads some of the session's commits, and the state at some revisions.
    private func check(
        _ session: ModelSession, _ reader: any SessionJournal, _ keepCommits: Int, _ random: inout SeededRandom
    ) async throws {
        let kept = max(0, session.revision - keepCommits)
        #expect(try await reader.oldestRevision() <= kept + 1)
        for _ in 0..<4 {
            let after = Int.random(in: 0...session.revision, using: &random)
            let limit = [1, 7, 1000].randomElement(using: &random) ?? 1
            let commits = try await reader.commits(after: after, limit: limit)
            let model = try await session.model.commits(after: after, limit: limit)
            #expect(
                commits.map(RandomTransactionTests.words) == model.map(RandomTransactionTests.words)
                    || commits == nil && after < kept)
            let past = try await reader.replayBase(for: after)?.state(initial: session.header.initial.json)
            #expect(past == ["weight": .integer(session.weight + after)] || past == nil && after < kept)
        }
    }

    /// Reads the file as commands do, also while a server uses it.
    private func check(_ sessions: [ModelSession], _ file: JournalFile) throws {
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
        var listed: [String: SessionSummary] = [:]
        try SQLiteStorage.listSessions(file.path) { listed[$0.id] = $0.summary }
        #expect(listed.count == sessions.count)
        for session in sessions { #expect(listed[session.header.id].map { session.hasSummary($0) } == true) }
        for session in sessions.prefix(4) {
            let json = try JSONValue(parsing: try SQLiteStorage.export(session.header.id, from: file.path))
            let last = json["commits"]?.asArray?.last?["revision"] ?? json["base"]?["revision"] ?? 0
            #expect(last == .integer(session.revision))
        }
    }
}

/// A session as it must be read.
private final class ModelSession: CommitRecorder {
    let header: SessionHeader
    /// The weight in its initial state.
    let weight: Int
    let model: any SessionJournal
    // Guards the journal, which is nil while the session is not loaded.
    let journal: Locked<(any SessionJournal)?>
    // Guards what was appended.
    private let contents = Locked(Contents())

    private struct Contents {
        var revision = 0
        var answers: [IdempotencyRecord] = []
        var deadline: Int?
        var nextDeadline: Int?
        var permits = ModelPermits()
        var lastActiveAt = Step.moment
    }

    init(_ header: SessionHeader, weight: Int, _ journal: SQLiteJournal) {
        self.header = header
        self.weight = weight
        model = MemoryJournal(keepCommits: 100_000).create(header)
        self.journal = Locked(journal.create(header))
    }

    var revision: Int { contents.withLock(\.revision) }
    var answers: [IdempotencyRecord] { contents.withLock(\.answers) }
    var deadline: Int? { contents.withLock(\.deadline) }
    var lastActiveAt: Int { contents.withLock(\.lastActiveAt) }
    func changePermits(_ random: inout SeededRandom) -> PermitChange {
        var permits = contents.withLock(\.permits)
        let change = permits.change(&random)
        contents.withLock { [permits] in $0.permits = permits }
        return change
    }

    /// The history is another one in a backup. A session that is loaded with a snapshot of its newest state does not know the
    /// time of the commit that made it.
    func hasSummary(_ summary: SessionSummary, isListed: Bool = false) -> Bool {
        let (header, time) = (summary.header, summary.lastActiveAt)
        let renamed = SessionHeader(
            id: header.id, kind: header.kind, schema: header.schema, createdAt: header.createdAt,
            forkedFrom: header.forkedFrom, historyID: "h", initial: header.initial, owner: header.owner,
            isPersonal: header.isPersonal)
        let permits = contents.withLock(\.permits)
        return renamed == self.header && summary.revision == revision
            && (isListed ? summary.shareGeneration == permits.generation : permits.match(summary))
            && (time == lastActiveAt || !isListed && time == Step.moment)
    }

    func tried() -> (any SessionJournal)? { journal.withLock(\.self) }

    func awaitDurable() async { #expect(await tried()?.awaitDurable() == nil) }

    /// Loads the session, unless it is.
    func load(_ storage: SQLiteJournal) async throws {
        guard tried() == nil else { return }
        let found = try await storage.session(header.id)
        journal.withLock { $0 = found.journal }
    }

    /// Commits so many actions at once.
    func weigh(_ count: Int, _ random: inout SeededRandom) throws {
        let (revision, state) = (
            revision, StateSnapshot(json: JSONValue.object(["weight": .integer(weight + revision)]).encoded())
        )
        let moment = lastActiveAt + Int.random(in: 0...5, using: &random)
        contents.withLock { $0.nextDeadline = [nil, 1, 2].randomElement(using: &random) ?? nil }
        let store = try Parcel.first.makeStore(
            environment: StoreEnvironment(clock: Instant(moment: moment)), recorder: self, from: state,
            revision: revision)
        store.resume()
        var options = DispatchOptions()
        if Int.random(in: 0..<5, using: &random) == 0 {
            let answer = IdempotencyRecord(key: "\(revision)", fingerprint: 1, response: [1], at: Step.moment)
            contents.withLock { $0.answers.append(answer) }
            options.record = { _ in .answer(answer) }
        }
        store.dispatch(JSONValue.array(Array(repeating: ["type": "weigh"], count: count)), options) { _ in }
        #expect(self.revision == revision + count)
    }

    private struct Instant: StoreClock {
        let moment: Int

        func now() -> Int { moment }
        func sleep(until moment: Int) async throws(CancellationError) {}
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        let next = contents.withLock { contents in
            contents.revision = transaction.lastRevision
            contents.deadline = contents.nextDeadline
            contents.lastActiveAt = transaction.commits.last?.committedAt ?? contents.lastActiveAt
            return CommitTransaction(
                baseRevision: transaction.baseRevision, commits: transaction.commits,
                record: transaction.record, nextDeadline: contents.nextDeadline)
        }
        model.append(next, state)
        tried()?.append(next, state)
    }

    func isDurable(through revision: Int) -> Bool { tried()?.isDurable(through: revision) ?? true }

    func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) {
        tried()?.whenDurable(through: revision, notify: waiter)
    }
}
