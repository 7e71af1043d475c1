import Journal
import RedisJournal
import RedisTesting
import StoreHosting
import Testing

@Suite("The index of last uses in a durable journal", .timeLimit(.minutes(5)))
struct SessionUsesTests {
    /// Seconds after ``Step/moment``. Some were used at the same time.
    private static let uses = [30, 10, 20, 20, 50, 40, 20, 20]

    private static func moment(_ number: Int) -> Int { Step.moment + uses[number] * 1000 }

    private static func all(in journal: any Journal, limit: Int) async throws -> [SessionUse] {
        var (found, place): ([SessionUse], SessionUses.Place?) = ([], SessionUses.Place(moment: .max))
        while let start = place {
            let portion = try await journal.uses(after: start, limit: limit)
            found += portion.uses
            place = portion.next
        }
        return found
    }

    @Test(
        "has each session once, the latest first, in portions, after a restart too", arguments: DurableStorage.allCases)
    func portions(kind: DurableStorage) async throws {
        let storage = try kind.make()
        var journal = try storage.openJournal()
        for number in Self.uses.indices {
            let session = journal.create(Step.session("s\(number)", owner: number == 3 ? "ada" : nil))
            #expect(await session.awaitDurable() == nil)
            session.recordUse(at: Self.moment(number), every: 0)
        }
        for _ in 0..<2 {
            for limit in [1, 2, 3, 8, 100] {
                try await eventually {
                    // A use is known at once, and the index has it a little later.
                    let moments = try await Self.all(in: journal, limit: limit).map(\.lastActiveAt)
                    return moments == Self.uses.map { Step.moment + $0 * 1000 }.sorted(by: >)
                }
                let found = try await Self.all(in: journal, limit: limit)
                #expect(Set(found.map(\.id)).count == Self.uses.count)
                for use in found {
                    let number = try #require(Int(use.id.dropFirst()))
                    #expect(use.lastActiveAt == Self.moment(number) && use.kind == "steps")
                    #expect(use.owner?.text == (number == 3 ? "ada" : nil))
                }
            }
            let later = try await journal.uses(after: SessionUses.Place(moment: Self.moment(0)), limit: 3).uses
            #expect(later.map(\.lastActiveAt) == [30, 20, 20].map { Step.moment + $0 * 1000 })
            await journal.closed()
            journal = try storage.openJournal()
        }
        await journal.closed()
        #expect(try storage.problems().isEmpty)
    }

    @Test("has the summaries of sessions that have not ended", arguments: DurableStorage.allCases)
    func summaries(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        for number in 0..<4 {
            let session = journal.create(Step.session("s\(number)"))
            if number == 1 { session.appendCommit(1) }
            #expect(await session.awaitDurable() == nil)
            session.recordUse(at: Self.moment(number), every: 0)
            if number == 2 { session.end(at: Self.moment(number)) }
        }
        // The lookup comes behind all that the storage was given.
        _ = try await journal.found("s2")
        let found = try await journal.summaries(of: ["s1", "nothing", "s2", "s0"])
        #expect(found.map(\.header.id).sorted() == ["s0", "s1"])
        for summary in found {
            let number = try #require(Int(summary.header.id.dropFirst()))
            #expect(summary.revision == number && summary.lastActiveAt >= Self.moment(number))
            #expect(summary.header.initial.json == Step.session().initial.json)
        }
        #expect(try await Self.all(in: journal, limit: 2).map(\.id).sorted() == ["s0", "s1", "s3"])
        #expect(try await journal.summaries(of: []).isEmpty)
        await journal.closed()
    }

    @Test("cuts a last use that it lags behind too far, so that a search is short")
    func lag() {
        let use = { SessionUse(id: "s", kind: "steps", owner: nil, lastActiveAt: $0, indexed: 1000).lastActiveAt }
        #expect([0, 1000, 1500, 1 << 40].map(use) == [1000, 1000, 1500, 1000 + SessionUse.lag])
    }
}
