import Sessions
import StoreHosting
import StorehouseServer
import Testing

/// The expiry queue and the tombstones.
@Suite struct ExpiryTests {
    private static let hour = 3_600_000

    @Test func dueElementsAreReturnedOnce() {
        let queue = ExpiryQueue<SessionID>(granularity: 100)
        let ids = (0..<3).map { _ in SessionID.random() }
        queue.add(ids[0], at: 250)
        queue.add(ids[1], at: 299)
        queue.add(ids[2], at: 1000)
        #expect(queue.due(199).isEmpty)
        #expect(Set(queue.due(200)) == Set(ids[..<2]))
        #expect(queue.due(999).isEmpty)
        #expect(queue.due(5000) == [ids[2]])
        #expect(queue.due(.max).isEmpty)
    }

    @Test func lateElementsAreDueAtOnce() {
        let queue = ExpiryQueue<SessionID>(granularity: 100)
        #expect(queue.due(10_000).isEmpty)
        let id = SessionID.random()
        queue.add(id, at: 50)
        #expect(queue.due(10_000) == [id])
    }

    @Test func anEndedSessionIsRememberedForAnHourAtLeast() {
        let ended = SessionTombstones(maxSessions: 1000)
        let start = 1_700_000_000_000
        var remembered: [(id: SessionID, at: Int)] = []
        for minute in stride(from: 0, to: 600, by: 7) {
            let now = start + minute * 60_000
            let id = SessionID.random()
            ended.add(id, now: now)
            remembered.append((id, now))
            for (id, moment) in remembered where now - moment <= Self.hour { #expect(ended.contains(id)) }
        }
        #expect(!ended.contains(.random()))
    }

    @Test func theMemoryIsBounded() {
        let ended = SessionTombstones(maxSessions: 1000)
        let first = SessionID.random()
        ended.add(first, now: 0)
        for hours in [2, 4, 6] { ended.add(.random(), now: hours * Self.hour) }
        #expect(!ended.contains(first))
    }

    @Test func asManyEndedSessionsAreRememberedAsThereMayBe() {
        let ended = SessionTombstones(maxSessions: 100)
        let ids = (0..<1000).map { _ in SessionID.random() }
        for (index, id) in ids.enumerated() {
            ended.add(id, now: index)
            #expect(ids[max(0, index - 99)...index].allSatisfy(ended.contains))
        }
        #expect(ids.filter(ended.contains).count <= 200)
    }

    @Test func thePermitsOfEndedSessionsAreRememberedWithThemAsLongAsThereIsRoom() {
        let ended = SessionTombstones(maxSessions: 2)
        let ids = (0..<4).map { _ in SessionID.random() }
        let long = FinalPermits(generation: 1, list: String(repeating: "x", count: 20 << 20))
        let short = FinalPermits(generation: 2, ids: ["a"])
        for (id, permits) in [(ids[0], long), (ids[0], long), (ids[1], long), (ids[2], short), (ids[3], long)] {
            ended.add(id, now: 0, permits: permits)
        }
        #expect(ids.allSatisfy(ended.contains))
        #expect(ids.map { ended.permits(of: $0)?.generation } == [1, nil, 2, 1])
        ended.add(.random(), now: 0)
        #expect(ended.permits(of: ids[0]) == nil && ended.permits(of: ids[3]) == long)
    }

    @Test(arguments: [("abc-7", "abc", 7), ("a-b-0", "a-b", 0), ("-3", "", 3)])
    func anEventIdIsAHistoryAndARevision(_ text: String, _ history: String, _ revision: Int) throws {
        let id = try #require(EventID(text))
        #expect(id.historyID == history)
        #expect(id.revision == revision)
    }

    @Test(arguments: ["", "7", "abc", "abc-", "abc-x", "abc-99999999999999999999", "abc-1 "])
    func malformedEventIDsAreRefused(_ text: String) {
        #expect(EventID(text) == nil)
    }
}

extension SessionTombstones {
    fileprivate func contains(_ id: SessionID) -> Bool { lookup(id) != nil }
}
