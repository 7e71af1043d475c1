import JSON
import Journal
import StoreHosting
import Stores
import Testing

@Suite("A durable journal, whatever it is given")
struct RandomTransactionTests {
    /// What both journals have been given of one session.
    private final class Both: CommitRecorder {
        let model: any SessionJournal
        let tried: any SessionJournal
        private let start: Int

        init(_ model: any SessionJournal, _ tried: any SessionJournal, from start: Int) {
            (self.model, self.tried, self.start) = (model, tried, start)
        }

        func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
            guard transaction.lastRevision > start else { return }
            model.append(transaction, state)
            tried.append(transaction, state)
        }

        func isDurable(through revision: Int) -> Bool { tried.isDurable(through: revision) }

        func whenDurable(through revision: Int, _ done: @escaping @Sendable (JournalError?) -> Void) {
            tried.whenDurable(through: revision, done)
        }
    }

    @Test("gives back what a journal in memory does, over ends and crashes", arguments: DurableStorage.allCases, 0..<6)
    func sameAsInMemory(kind: DurableStorage, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var storage = try kind.make()
        var journal = try storage.openJournal(isRelaxed: !seed.isMultiple(of: 2))
        let model = MemoryJournal(keepCommits: 10_000).create(Step.session())
        var session = journal.create(Step.session())
        var answers: [IdempotencyRecord] = []
        var revision = 0
        for round in 0..<8 {
            let recorder = Both(model, session, from: revision)
            let store = Step.kind.makeStore(environment: StoreEnvironment(clock: Step.Clock()), recorder: recorder)
            store.step(revision)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let count = Int.random(in: 1...40, using: &random)
                let batch = JSONValue.array(Array(repeating: ["type": "step"], count: count))
                var options = DispatchOptions()
                if Bool.random(using: &random) {
                    let answer = IdempotencyRecord(
                        key: "\(round)-\(revision)", fingerprint: UInt64(revision), response: [1], at: Step.moment)
                    answers.append(answer)
                    options.idempotencyRecord = { _ in answer }
                }
                store.dispatch(batch, options) { _ in }
                revision += count
            }
            #expect(await session.awaitDurable() == nil)
            // What is given to the writer is behind this, also where that is all that was awaited.
            _ = try await journal.found("session")
            if Bool.random(using: &random) {
                await journal.closed()
            } else {
                storage = try await storage.crash(journal)
            }
            journal = try storage.openJournal(isRelaxed: !seed.isMultiple(of: 2))
            let found = try await journal.session("session")
            #expect(
                found.summary.revision == revision && found.replayable.count == revision && found.answers == answers)
            session = found.journal
            for _ in 0..<5 {
                let after = Int.random(in: 0...revision, using: &random)
                let limit = Int.random(in: 1...200, using: &random)
                #expect(
                    try await session.commits(after: after, limit: limit).map(Self.words)
                        == model.commits(after: after, limit: limit).map(Self.words))
                #expect(try await session.replayBase(for: after)?.count == after)
            }
        }
        #expect(try storage.problems().isEmpty)
    }

    /// All that there is to records.
    private static func words(_ records: [CommitRecord]) -> [String] {
        records.map {
            "\($0.revision) \($0.type) \(JSONValue.object($0.payload)) \($0.origin) \($0.cause ?? -1) \($0.committedAt) \($0.changes)"
        }
    }
}

/// Chance that comes out the same each time.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
