import JSON
import Journal
import Locks
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

    private func past(_ journal: any SessionJournal, _ revision: Int) -> ReplayableState? {
        let found = Locked<ReplayableState?>(nil)
        journal.replayBase(for: revision) { past in found.withLock { $0 = try? past.get() } }
        return found.withLock(\.self)
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
    func past(keeping count: Int, commits: Int) throws {
        let journal = journal(keeping: count, commits: commits)
        let oldest = try #require((0...commits).first { journal.bufferedCommits(after: $0, limit: 1) != nil })
        for revision in 0...commits {
            let state = past(journal, revision)?.state(initial: Step.kind.initialState)
            let expected = revision < oldest ? Optional.none : Step.json(revision)
            #expect(state == expected)
        }
    }

    @Test("has only the first state of a session without commits")
    func first() {
        let past = past(MemoryJournal(keepCommits: 1).create(Step.session()), 0)
        #expect(past?.state(initial: Step.kind.initialState) == Step.json(0))
    }
}
