import JSON
import Journal
import Stores
import Testing

@Suite("The memory journal")
struct MemoryJournalTests {
    private func journal(keeping count: Int, commits: Int) -> any SessionJournal {
        let journal = MemoryJournal(keepCommits: count).open("session")
        for revision in 1..<(commits + 1) {
            let record = ActionRecord(
                revision: revision, type: "counter/increment", payload: [:], origin: .client, cause: nil,
                at: revision * 10)
            journal.append(record)
        }
        return journal
    }

    @Test("gives back the commits behind a revision, oldest first and no more than asked for")
    func pages() {
        let journal = journal(keeping: 100, commits: 10)
        #expect(journal.entries(after: 0, limit: 3)?.map(\.revision) == [1, 2, 3])
        #expect(journal.entries(after: 3, limit: 100)?.map(\.revision) == Array(4...10))
        #expect(journal.entries(after: 3, limit: 1)?.map(\.at) == [40])
    }

    @Test("has nothing beyond the newest commit, and nothing for a session without any", arguments: [10, 11, Int.max])
    func nothing(revision: Int) {
        #expect(journal(keeping: 100, commits: 10).entries(after: revision, limit: 5)?.isEmpty == true)
        #expect(MemoryJournal(keepCommits: 1).open("new").entries(after: revision, limit: 5)?.isEmpty == true)
    }

    @Test("keeps the newest commits, twice as many at most, and says what is gone", arguments: 1..<60)
    func retention(commits: Int) throws {
        let journal = journal(keeping: 8, commits: commits)
        let oldest = try #require((0...commits).first { journal.entries(after: $0, limit: 1) != nil })
        let kept = try #require(journal.entries(after: oldest, limit: .max)).map(\.revision)
        #expect(kept == Array((oldest + 1)..<(commits + 1)))
        #expect(kept.count >= min(commits, 8) && kept.count <= 16)
    }
}
