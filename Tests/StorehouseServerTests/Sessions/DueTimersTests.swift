import StoreHosting
import StorehouseServer
import Testing

/// Which sessions are loaded for their timers.
@Suite struct DueTimersTests {
    private static func sessions(_ range: Range<Int>) -> [DueSession] {
        range.map { DueSession(id: "s\($0)", deadline: $0) }
    }

    @Test func batchesFollowOneAnotherUntilOneIsNotFull() throws {
        var timers = DueTimers()
        let first = try #require(timers.begin(now: 1000))
        #expect(first.after == nil && first.until > 1000)
        #expect(timers.begin(now: 1000) == nil)
        #expect(timers.found(Self.sessions(0..<first.limit)).count == first.limit)
        #expect(timers.end(found: first.limit, hasRoom: true))
        let second = try #require(timers.begin(now: 1000))
        #expect(second.after == DueSession(id: "s\(first.limit - 1)", deadline: first.limit - 1))
        #expect(timers.found(Self.sessions(500..<501)).count == 1)
        #expect(!timers.end(found: 1, hasRoom: true))
        // Later ones follow the last.
        #expect(try #require(timers.begin(now: 2000)).after == DueSession(id: "s500", deadline: 500))
    }

    @Test func aFullMemoryWaitsForTheNextTurn() throws {
        var timers = DueTimers()
        let query = try #require(timers.begin(now: 0))
        _ = timers.found(Self.sessions(0..<query.limit))
        #expect(!timers.end(found: query.limit, hasRoom: false))
        #expect(try #require(timers.begin(now: 1)).after?.id == "s\(query.limit - 1)")
    }

    @Test(arguments: [61_000, -1_000_000])
    func nowAndThenItBeginsAgain(_ later: Int) throws {
        var timers = DueTimers()
        _ = try #require(timers.begin(now: 0))
        _ = timers.found(Self.sessions(0..<3))
        _ = timers.end(found: 3, hasRoom: true)
        #expect(try #require(timers.begin(now: later)).after == nil)
    }

    @Test func sessionsThatCannotBeLoadedAreLeftAlone() throws {
        var timers = DueTimers()
        _ = try #require(timers.begin(now: 0))
        timers.markUnusable("s1")
        #expect(timers.found(Self.sessions(0..<3)).map(\.id) == ["s0", "s2"])
    }
}
