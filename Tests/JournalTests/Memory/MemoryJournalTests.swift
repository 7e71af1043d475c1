import JSON
import Journal
import StoreHosting
import Stores
import Testing

@Suite("The memory journal")
struct MemoryJournalTests {
    private func journal(keeping count: Int, commits: Int) -> any SessionJournal {
        let journal = MemoryJournal(keepCommits: count).create(Step.session())
        Step.store(journal).step(commits)
        return journal
    }

    private func past(_ journal: any SessionJournal, _ revision: Int) async throws -> ReplayableState? {
        try await journal.replayBase(for: revision)
    }

    @Test("gives back the commits behind a revision, oldest first and no more than asked for")
    func pages() {
        let journal = journal(keeping: 100, commits: 10)
        #expect(journal.bufferedCommits(after: 0, limit: 3)?.map(\.revision) == [1, 2, 3])
        #expect(journal.bufferedCommits(after: 3, limit: 100)?.map(\.revision) == Array(4...10))
        #expect(journal.bufferedCommits(after: 3, limit: 1)?.map(\.committedAt) == [Step.moment])
    }

    @Test("has nothing beyond the newest commit, and nothing for a session without any", arguments: [10, 11, Int.max])
    func nothing(revision: Int) {
        #expect(journal(keeping: 100, commits: 10).bufferedCommits(after: revision, limit: 5)?.isEmpty == true)
        #expect(
            MemoryJournal(keepCommits: 1).create(Step.session()).bufferedCommits(after: revision, limit: 5)?.isEmpty
                == true)
    }

    @Test("keeps the newest commits, twice as many at most, and says what is gone", arguments: 1..<60)
    func retention(commits: Int) throws {
        let journal = journal(keeping: 8, commits: commits)
        let oldest = try #require((0...commits).first { journal.bufferedCommits(after: $0, limit: 1) != nil })
        let retained = try #require(journal.bufferedCommits(after: oldest, limit: .max)).map(\.revision)
        #expect(retained == Array((oldest + 1)..<(commits + 1)))
        #expect(retained.count >= min(commits, 8) && retained.count <= 16)
    }

    @Test(
        "makes every earlier state from a snapshot and the patches after it, as far as it goes back",
        arguments: [
            (8, 5), (8, 40), (1, 9), (1000, 200), (100, 1000),
        ])
    func past(keeping count: Int, commits: Int) async throws {
        let journal = journal(keeping: count, commits: commits)
        let oldest = try #require((0...commits).first { journal.bufferedCommits(after: $0, limit: 1) != nil })
        for revision in 0...commits {
            let state = try await past(journal, revision)?.state(initial: Step.kind.initialState)
            let expected = revision < oldest ? Optional.none : Step.json(revision)
            #expect(state == expected)
        }
    }

    @Test(
        "keeps no more bytes than it may, and makes every earlier state that is left",
        arguments: [3000, 20_000, 100_000])
    func bytes(keepBytes: Int) async throws {
        let journal = MemoryJournal(keepCommits: 1000, keepBytes: keepBytes).create(Step.session())
        let store = Step.store(journal)
        for _ in 0..<1500 {
            store.step()
            let newest = store.revision
            guard newest.isMultiple(of: 100) else { continue }
            let oldest = try #require((0...newest).first { journal.bufferedCommits(after: $0, limit: 1) != nil })
            // A commit of this store counts 250 bytes or so.
            #expect((newest - oldest) * 200 <= keepBytes)
            #expect((newest - oldest) * 300 >= min(newest * 300, keepBytes / 4))
            for revision in [oldest, (oldest + newest) / 2, newest] {
                let state = try await past(journal, revision)?.state(initial: Step.kind.initialState)
                #expect(state == Step.json(revision))
            }
        }
    }

    @Test("counts the payloads of actions too")
    func payloadBytes() async throws {
        let journal = MemoryJournal(keepCommits: 1000, keepBytes: 100_000).create(Step.session())
        let store = Step.kind.makeStore()
        let payload: JSONObject = ["text": .string(String(repeating: "x", count: 10_000))]
        for revision in 1...50 {
            store.step()
            store.inspect { state in
                let commit = CommitRecord(
                    revision: revision, type: "step", payload: payload, origin: .client, cause: nil,
                    committedAt: Step.moment, changes: state.commits[0].changes)
                journal.append(CommitTransaction(baseRevision: revision - 1, commits: [commit]), state)
            }
        }
        let oldest = try #require((0...50).first { journal.bufferedCommits(after: $0, limit: 1) != nil })
        #expect(oldest >= 40 && oldest < 50)
        #expect(try await past(journal, oldest)?.state(initial: Step.kind.initialState) == Step.json(oldest))
    }

    @Test("keeps what a valid idempotency record needs", arguments: [0, 5, 12])
    func records(minutes: Int) async throws {
        let journal = MemoryJournal(keepCommits: 8, keepBytes: 10_000, now: { Step.moment }).create(Step.session())
        let store = Step.store(journal)
        store.step(20)
        store.append(
            IdempotencyRecord(
                key: "k", fingerprint: 1, response: [], revision: 20, at: Step.moment - minutes * 60_000),
            to: journal)
        store.step(500)
        let isNeeded = minutes < 10
        #expect(try await (past(journal, 20) != nil) == isNeeded)
        #expect(try await past(journal, 519)?.state(initial: Step.kind.initialState) == Step.json(519))
    }

    @Test("has only the first state of a session without commits")
    func first() async throws {
        let past = try await past(MemoryJournal(keepCommits: 1).create(Step.session()), 0)
        #expect(past?.state(initial: Step.kind.initialState) == Step.json(0))
    }
}
