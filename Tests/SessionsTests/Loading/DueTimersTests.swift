import Sessions
import StoreHosting
import Testing

/// Which sessions are loaded for their timers.
@Suite struct DueTimersTests {
    private static func sessions(_ range: Range<Int>) -> [DueSession] {
        range.map { DueSession(id: "s\($0)", deadline: $0) }
    }

    /// The query of a batch that must begin.
    private func begin(_ timers: inout DueTimers, _ now: Int) throws -> DueTimers.Query {
        let query = timers.begin(now: now)
        return try #require(query)
    }

    @Test func batchesFollowOneAnotherUntilOneIsNotFull() throws {
        var timers = DueTimers()
        let first = try begin(&timers, 1000)
        #expect(first.after == nil && first.until > 1000)
        let other = timers.begin(now: 1000)
        #expect(other == nil)
        let loaded = timers.found(Self.sessions(0..<first.limit)).count
        let goesOn = timers.end(found: first.limit, hasRoom: true)
        #expect(loaded == first.limit && goesOn)
        let second = try begin(&timers, 1000)
        #expect(second.after == DueSession(id: "s\(first.limit - 1)", deadline: first.limit - 1))
        _ = timers.found(Self.sessions(500..<501))
        let goesOnAgain = timers.end(found: 1, hasRoom: true)
        #expect(!goesOnAgain)
        // Later ones follow the last.
        #expect(try begin(&timers, 2000).after == DueSession(id: "s500", deadline: 500))
    }

    @Test func sessionsOfNodesThatHaveDiedAreLookedForEachSecond() throws {
        for isShared in [false, true] {
            var timers = DueTimers(isShared: isShared)
            _ = try begin(&timers, 0)
            _ = timers.found(Self.sessions(500..<501))
            _ = timers.end(found: 1, hasRoom: true)
            #expect(try begin(&timers, 999).after != nil)
            _ = timers.end(found: 0, hasRoom: true)
            #expect(try (begin(&timers, 1000).after == nil) == isShared)
        }
    }

    @Test func aFullMemoryWaitsForTheNextTurn() throws {
        var timers = DueTimers()
        let query = try begin(&timers, 0)
        _ = timers.found(Self.sessions(0..<query.limit))
        let goesOn = timers.end(found: query.limit, hasRoom: false)
        #expect(!goesOn)
        #expect(try begin(&timers, 1).after?.id == "s\(query.limit - 1)")
    }

    @Test(arguments: [61_000, -1_000_000])
    func nowAndThenItBeginsAgain(_ later: Int) throws {
        var timers = DueTimers()
        _ = try begin(&timers, 0)
        _ = timers.found(Self.sessions(0..<3))
        _ = timers.end(found: 3, hasRoom: true)
        #expect(try begin(&timers, later).after == nil)
    }

    @Test func aSessionThatCannotBeLoadedNowIsTriedAgain() throws {
        var timers = DueTimers()
        let query = try begin(&timers, 0)
        _ = timers.found(Self.sessions(0..<query.limit))
        timers.loaded("s0", .failure(.unavailable(.storage(.unavailable("")))))
        let goesOn = timers.end(found: query.limit, hasRoom: true)
        #expect(!goesOn)
        #expect(try begin(&timers, 1).after == nil)
        #expect(timers.found(Self.sessions(0..<1)).map(\.id) == ["s0"])
    }

    @Test func sessionsThatCannotBeReadAreLeftAlone() throws {
        var timers = DueTimers()
        _ = try begin(&timers, 0)
        timers.loaded("s1", .success(.unreadable(.stored(.contradiction), owner: nil)))
        timers.loaded("s2", .success(.elsewhere("127.0.0.1:1")))
        let loaded = timers.found(Self.sessions(0..<3)).map(\.id)
        #expect(loaded == ["s0", "s2"])
    }
}
