import Foundation
import JSON
import Journal
import Locks
import StoreHosting
import Stores
import Testing

@Suite("A durable journal, whatever it is given")
struct RandomTransactionTests {
    /// Passes the transactions of one session to two journals: one in memory, and the one of the storage.
    private final class Both: CommitRecorder {
        let model: any SessionJournal
        // Guards the journal of the storage, which is another one after each restart.
        let tried: Locked<any SessionJournal>

        init(_ model: any SessionJournal, _ tried: any SessionJournal) {
            (self.model, self.tried) = (model, Locked(tried))
        }

        func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
            model.append(transaction, state)
            tried.withLock(\.self).append(transaction, state)
        }

        func isDurable(through revision: Int) -> Bool {
            tried.withLock(\.self).isDurable(through: revision)
        }

        func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) {
            tried.withLock(\.self).whenDurable(through: revision, notify: waiter)
        }
    }

    /// More of them for a longer search, as script/soak does it.
    static let seeds =
        ProcessInfo.processInfo.environment["TEST_SEEDS"].flatMap { UInt64($0) } ?? 4

    @Test(
        "gives back what a journal in memory does, over ends and crashes",
        arguments: DurableStorage.allCases, 0..<seeds)
    func sameAsInMemory(kind: DurableStorage, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var storage = try kind.make()
        var journal = try storage.openJournal(isRelaxed: !seed.isMultiple(of: 2))
        let model = MemoryJournal(keepCommits: 10_000).create(Parcel.session())
        var session = journal.create(Parcel.session())
        let recorder = Both(model, session)
        let store = Parcel.store(recorder)
        var answers: [IdempotencyRecord] = []
        var permits = ModelPermits()
        var clients = ModelClients()
        var revision = 0
        for round in 0..<8 {
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let count = Int.random(in: 1...40, using: &random)
                let batch = JSONValue.array(Array(repeating: ["type": "weigh"], count: count))
                var options = DispatchOptions()
                options.actor = Self.actors.randomElement(using: &random) ?? nil
                if Bool.random(using: &random) {
                    let answer = IdempotencyRecord(
                        key: "\(round)-\(revision)", fingerprint: UInt64(revision), response: [1],
                        at: Step.moment)
                    answers.append(answer)
                    options.record = { _ in .answer(answer) }
                } else if Bool.random(using: &random) {
                    let change = clients.change(&random)
                    options.record = { _ in .client(change) }
                }
                store.dispatch(batch, options) { _ in }
                revision += count
                for _ in 0..<Int.random(in: 0...3, using: &random) { session.record(permits.change(&random)) }
            }
            #expect(await session.awaitDurable() == nil)
            // The lookup comes behind all transactions that the writer was given. With relaxed durability, nothing more
            // was awaited.
            _ = try await journal.found("parcel")
            if Bool.random(using: &random) {
                await journal.closed()
            } else {
                storage = try await storage.crash(journal)
            }
            journal = try storage.openJournal(isRelaxed: !seed.isMultiple(of: 2))
            let found = try await journal.session("parcel")
            #expect(
                found.summary.revision == revision && found.replayable.count == revision
                    && found.answers == answers && permits.match(found.summary)
                    && clients.match(found.summary))
            session = found.journal
            recorder.tried.withLock { $0 = found.journal }
            for _ in 0..<5 {
                let after = Int.random(in: 0...revision, using: &random)
                let limit = Int.random(in: 1...200, using: &random)
                let commits = try await session.commits(after: after, limit: limit)
                #expect(
                    commits.map(Self.words)
                        == (try await model.commits(after: after, limit: limit).map(Self.words)))
                #expect(try await session.replayBase(for: after)?.count == after)
            }
        }
        await journal.closed()
        #expect(try storage.problems().isEmpty)
    }

    private static let actors: [Actor?] = [
        nil, .anonymous, .user("caf\u{e9}"), .user("cafe\u{301}", name: "Caf\u{e9} \"Ada\"", roles: ["a", ""]),
        .guest("guest:17", roles: (0..<32).map { String(repeating: "\u{1F642}", count: 64) + "\($0)" }),
    ]

    /// All that there is to records.
    static func words(_ records: [CommitRecord]) -> [String] {
        records.map {
            "\($0.revision) \($0.type) \(JSONValue.object($0.payload)) \($0.origin) \($0.cause ?? -1) \($0.committedAt) \($0.changes) "
                + ($0.namedActor.map { String(decoding: $0.json, as: UTF8.self) } ?? "")
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
