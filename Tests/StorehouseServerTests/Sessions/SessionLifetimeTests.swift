import JSON
import Journal
import Observability
import Sessions
import StoreHosting
import StorehouseServer
import Testing

/// How long sessions live, by default and with timers.
@Suite struct SessionLifetimeTests {
    private static let day = 86_400_000

    private static func run<Result: Sendable>(
        _ durable: DurableServer?, _ time: ManualClock, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        let configuration = Configuration.with {
            $0.sessions.defaultStore = "alarm"
            change(&$0)
        }
        let journal = try await durable?.open { try SQLiteJournal(path: $0, vfs: nil, now: time.clock.now) }
        return try await LiveServer.run(
            kinds: [Alarm.kind], clock: time.clock, configuration: configuration, journal: journal, body)
    }

    @Test func aDurableSessionThatWasUsedNeverEndsUnlessThatIsConfigured() async throws {
        let (durable, time) = (try DurableServer(), ManualClock())
        let (acted, read) = try await Self.run(durable, time) { server in
            let (acted, read) = (try await server.session("alarm"), try await server.session("alarm"))
            _ = try await acted.dispatch("alarm/set", ["at": .integer(time.now + 1 << 40)])
            let document = try await read.read()
            #expect(document.status == 200)
            #expect(document[json: "expiresAt"] == nil)
            time.advance(by: 1000 * Self.day)
            #expect(try await acted.read().status == 200)
            #expect(try await read.read().status == 200)
            return (acted.path, read.path)
        }
        time.advance(by: 1000 * Self.day)
        try await Self.run(durable, time) { (server: LiveServer) async throws in
            for path in [acted, read] { #expect(try await server.get(path).status == 200) }
        }
    }

    @Test func aDurableSessionThatWasNeverUsedEndsAfterADay() async throws {
        let (durable, time) = (try DurableServer(), ManualClock())
        try await Self.run(durable, time) { server in
            let (early, late) = (try await server.session("alarm"), try await server.session("alarm"))
            time.advance(by: Self.day - 1)
            #expect(try await early.read().status == 200)
            time.advance(by: 1)
            #expect(try await late.read().code == "session-ended")
            #expect(try await early.read().status == 200)
        }
    }

    @Test func aSessionInMemoryEndsAfterADayWithoutUse() async throws {
        let time = ManualClock()
        try await Self.run(nil, time) { server in
            let session = try await server.session("alarm")
            #expect(try await session.read()[json: "expiresAt"] == .string(Timestamp.rfc3339(time.now + Self.day)))
            time.advance(by: Self.day)
            #expect(try await session.read().code == "session-ended")
        }
    }

    @Test func zeroIsNeverForBothTimeoutsTogether() async throws {
        let time = ManualClock()
        let change = { (configuration: inout Configuration) in
            (configuration.sessions.idleTimeout, configuration.sessions.unusedTimeout) = (.zero, .zero)
            configuration.sessions.max = 2
        }
        try await Self.run(nil, time, change) { server in
            let created = try await server.post("/sessions", json: ["store": "alarm"])
            #expect(created[json: "expiresAt"] == nil)
            let session = try await server.session("alarm")
            time.advance(by: 40_000 * Self.day)
            #expect(try await session.read().status == 200)
            #expect(try await server.get(try #require(created["location"])).status == 200)
            // The number of sessions is bounded all the same, and there is no moment at which one makes room.
            let refused = try await server.post("/sessions", json: ["store": "alarm"])
            #expect(refused.code == "too-many-sessions")
            #expect(refused["retry-after"] == "3600")
        }
    }

    @Test func zeroForUnusedSessionsLeavesThemTheOtherTimeout() async throws {
        let time = ManualClock()
        let change = { (configuration: inout Configuration) in
            (configuration.sessions.idleTimeout, configuration.sessions.unusedTimeout) = (.seconds(60), .zero)
        }
        try await Self.run(nil, time, change) { server in
            let (first, second) = (try await server.session("alarm"), try await server.session("alarm"))
            time.advance(by: 59_999)
            #expect(try await first.read().status == 200)
            time.advance(by: 1)
            #expect(try await second.read().code == "session-ended")
            #expect(try await first.read().status == 200)
        }
    }

    /// Timers run in real time here: one that is due in an hour does not fire, whatever the manual clock says.
    @Test(arguments: [false, true])
    func aPendingTimerKeepsASessionFromExpiring(_ isDurable: Bool) async throws {
        let (durable, time) = (isDurable ? try DurableServer() : nil, ManualClock())
        let change = { (configuration: inout Configuration) in
            configuration.sessions.idleTimeout = .seconds(60)
            configuration.sessions.unusedTimeout = .seconds(1)
        }
        try await Self.run(durable, time, change) { server in
            let (armed, plain) = (try await server.session("alarm"), try await server.session("alarm"))
            _ = try await armed.dispatch("alarm/set", ["at": .integer(time.now + 3_600_000)])
            _ = try await plain.dispatch("alarm/set", ["at": .integer(time.now)])
            try await server.log.line(with: "type=alarm/ring")
            // The line is written before the timer is done.
            #expect(try await plain.read("/state?select=/rings").json["state"] == 1)
            time.advance(by: 600_000)
            // Not read, because that would be use: the sweep decides.
            try await waitUntil { server.running.residentSessions == 1 }
            #expect(try await plain.read().code == "session-ended")
            #expect(try await armed.read().status == 200)
        }
    }

    @Test func aStoredSessionWithATimerOutlivesASweepAndARestart() async throws {
        let (durable, time) = (try DurableServer(), ManualClock())
        let change = { (configuration: inout Configuration) in
            configuration.sessions.idleTimeout = .seconds(600)
            configuration.sessions.unusedTimeout = .seconds(1)
        }
        let (armed, plain) = try await Self.run(durable, time, change) { server in
            let (armed, plain) = (try await server.session("alarm"), try await server.session("alarm"))
            _ = try await armed.dispatch("alarm/set", ["at": .integer(time.now + 30 * Self.day)])
            #expect(try await plain.read().status == 200)
            return (armed, plain)
        }
        time.advance(by: 10 * Self.day)
        try await Self.run(durable, time, change) { server in
            try await server.log.line(
                with: "1 session ended because nobody used them for 10 min (sessions.idleTimeout)")
            #expect(try await server.get(plain.path).code == "session-ended")
            #expect(try await server.get(armed.path).status == 200)
        }
    }

    @Test func aTimerThatFiresLateCountsAsUse() async throws {
        let (durable, time) = (try DurableServer(), ManualClock())
        let change = { (configuration: inout Configuration) in
            configuration.sessions.idleTimeout = .seconds(600)
            configuration.sessions.unusedTimeout = .seconds(1)
        }
        let path = try await Self.run(durable, time, change) { server in
            let session = try await server.session("alarm")
            _ = try await session.dispatch("alarm/set", ["at": .integer(time.now + 400_000)])
            return session.path
        }
        // No server runs when the timer is due, nor when the session would expire without it.
        time.advance(by: 5_000_000)
        try await Self.run(durable, time, change) { server in
            try await server.log.line(with: "type=alarm/ring")
            time.advance(by: 599_000)
            #expect(try await server.get(path + "/state?select=/rings").json["state"] == 1)
            time.advance(by: 600_000)
            #expect(try await server.get(path).code == "session-ended")
        }
    }
}
