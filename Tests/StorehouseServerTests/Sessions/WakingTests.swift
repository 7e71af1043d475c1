import Foundation
import JSON
import Journal
import Locks
import Observability
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// A store with one timer.
struct Alarm: HostedState, ObjectState, Restorable {
    var deadline: Int?
    var rings = 0

    init() {}

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        deadline = try persisted.member("deadline")
        rings = try persisted.member("rings")
    }

    func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("deadline", deadline)
        members.member("rings", rings)
    }

    enum Action: DeclaredAction, Equatable {
        case set(Int)
        case ring

        static let catalogue = ActionSchema<Action>([
            ActionDeclaration(
                "alarm/set", "Sets the alarm.", fields: Field<Int>.integer("at", 0...(1 << 50), example: 1),
                embed: { .set($0) }, extract: { if case .set(let moment) = $0 { moment } else { nil } }),
            ActionDeclaration("alarm/ring", "Rings, once.", audience: .internal, .ring),
        ])
    }

    struct Clockwork: Reducer {
        func decide(_ action: Action, in state: Alarm) -> Decision { .accept }

        func reduce(_ state: inout Alarm, _ action: Action) {
            switch action {
            case .set(let moment): state.deadline = moment
            case .ring: (state.deadline, state.rings) = (nil, state.rings + 1)
            }
        }
    }

    static let kind = kind([])

    static func kind(_ migrations: [StoreKind.Migration]) -> StoreKind {
        StoreKind.store(
            "alarm", reducer: Clockwork(),
            middleware: [
                Timers("alarm") { (state: Alarm) in
                    state.deadline.map { [StateTimer("ring", at: $0, .ring)] } ?? []
                }
            ],
            migrations: migrations)
    }
}

/// Timers that are due after a restart, and sessions whose clock steps.
@Suite struct WakingTests {
    private static let day = 86_400_000

    private static func run<Result: Sendable>(
        _ durable: DurableServer, _ clock: WallClock, idleTimeout: Duration = .seconds(86_400),
        maxResident: Int = 20_000, _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        let configuration = Configuration.with {
            $0.sessions.defaultStore = "alarm"
            $0.sessions.idleTimeout = idleTimeout
            $0.sessions.maxResident = maxResident
        }
        return try await LiveServer.run(
            kinds: [Alarm.kind], clock: clock, configuration: configuration,
            journal: try await durable.open { try SQLiteJournal(path: $0, vfs: nil, now: clock.now) }, body)
    }

    @Test func aTimerThatIsDueFiresAfterARestartWithoutARequest() async throws {
        let (durable, time) = (try DurableServer(), ManualClock())
        let paths = try await Self.run(durable, time.clock) { server in
            var paths: [String] = []
            // Timers run in real time: none rings before the restart, however slow the machine is.
            for delay in [400_000, 500_000, 7_200_000] {
                let session = try await server.session("alarm")
                _ = try await session.dispatch("alarm/set", ["at": .integer(time.now + delay)])
                paths.append(session.path)
            }
            _ = try await server.session("alarm")
            return paths
        }
        time.advance(by: 590_000)
        try await Self.run(durable, time.clock) { server in
            // Two are due; the others stay where they are.
            try await server.log.line(with: "revision=2")
            try await server.hasResidents(2)
            for (path, rings) in zip(paths, [1, 1, 0]) {
                let answer = try await server.eventually(TestRequest("GET", path + "/state?select=/rings")) {
                    $0.json["state"]?.asInteger == rings
                }
                #expect(answer.json["revision"]?.asInteger == 1 + rings)
            }
        }
        // Nothing is due any more.
        try await Self.run(durable, time.clock) { server in
            let rings = try await server.get(paths[0] + "/state?select=/rings").json["state"]
            #expect(rings?.asInteger == 1)
        }
    }

    @Test func dueSessionsAreLoadedAlsoIfTheyDoNotFitIntoMemory() async throws {
        let (durable, time) = (try DurableServer(), ManualClock())
        let count = 20
        try await Self.run(durable, time.clock) { server in
            for _ in 0..<count {
                // So late that none rings before the restart, as above.
                _ = try await server.session("alarm").dispatch("alarm/set", ["at": .integer(time.now + 400_000)])
            }
        }
        time.advance(by: 500_000)
        // More than fit into memory: those that have rung make room.
        try await Self.run(durable, time.clock, maxResident: 5) { server in
            try await server.rings(count)
            try await server.hibernates(to: 5)
        }
    }

    /// Sessions without an end, each with a timer in a month, would fill the memory otherwise.
    @Test func sessionsHibernateUntilTheirTimersAreDue() async throws {
        let (durable, time) = (try DurableServer(), ManualClock())
        let count = 20
        try await Self.run(durable, time.clock, idleTimeout: .zero, maxResident: 5) { server in
            for _ in 0..<count {
                let moment = JSONValue.integer(time.now + 30 * Self.day)
                _ = try await server.session("alarm").dispatch("alarm/set", ["at": moment])
            }
            try await server.hibernates(to: 5)
            #expect(!server.log.text.contains("alarm/ring"))
            time.advance(by: 30 * Self.day)
            // Timers in memory wait in real time.
            try await server.rings(count - 5)
        }
    }

    @Test func aStepOfTheWallClockEndsNoSession() async throws {
        let (durable, wall) = (try DurableServer(), ManualClock())
        let steady = ManualClock(1000)
        let clock = WallClock(now: { wall.now }, steady: { steady.now }, boot: 1)
        let pass = { (milliseconds: Int) in
            wall.advance(by: milliseconds)
            steady.advance(by: milliseconds)
        }
        let idle = Duration.seconds(2)
        let path = try await Self.run(durable, clock, idleTimeout: idle) { server in
            let old = try await server.session("alarm")
            pass(1500)
            let young = try await server.session("alarm")
            wall.advance(by: Self.day)
            pass(1000)
            // The sweep ends the one that was not used for so long.
            try await server.hasResidents(1)
            #expect(try await old.read().status == 410)
            #expect(try await young.read().status == 200)
            return young.path
        }
        wall.advance(by: -3 * Self.day)
        pass(300)
        let backwards = try await Self.run(durable, clock, idleTimeout: idle) { server in
            #expect(try await server.get(path).status == 200)
            wall.advance(by: 30 * Self.day)
            return try await server.session("alarm").path
        }
        wall.advance(by: 30 * Self.day)
        pass(100)
        try await Self.run(durable, clock, idleTimeout: idle) { server in
            for path in [path, backwards] {
                let status = try await server.get(path).status
                #expect(status == 200)
            }
            pass(3000)
            let status = try await server.get(path).status
            #expect(status == 410)
        }
    }

    @Test func aStepOfTheWallClockDoesNotAgeTheFiringOfATimer() async throws {
        let (durable, wall) = (try DurableServer(), ManualClock())
        let steady = ManualClock(1000)
        let clock = WallClock(now: { wall.now }, steady: { steady.now }, boot: 1)
        let pass = { (milliseconds: Int) in
            wall.advance(by: milliseconds)
            steady.advance(by: milliseconds)
        }
        let idle = Duration.seconds(3600)
        let path = try await Self.run(durable, clock, idleTimeout: idle) { server in
            let session = try await server.session("alarm")
            // Timers run in real time: it does not ring before the restart.
            _ = try await session.dispatch("alarm/set", ["at": .integer(wall.now + 1_000_000)])
            return session.path
        }
        pass(3_000_000)
        try await Self.run(durable, clock, idleTimeout: idle) { server in
            try await server.rings(1)
            wall.advance(by: Self.day)
            // An hour after the last request, and less than that after the firing.
            pass(1_000_000)
            #expect(try await server.get(path).status == 200)
            pass(3_601_000)
            #expect(try await server.get(path).code == "session-ended")
        }
    }

    @Test func aSessionThatWasCreatedAfterAStepBackIsLoaded() async throws {
        let (durable, wall) = (try DurableServer(), ManualClock())
        let steady = ManualClock(1000)
        let clock = WallClock(now: { wall.now }, steady: { steady.now }, boot: 1)
        let path = try await Self.run(durable, clock) { server in
            wall.advance(by: -3 * Self.day)
            let session = try await server.session("alarm")
            return session.path
        }
        steady.advance(by: 1000)
        wall.advance(by: 1000)
        try await Self.run(durable, clock) { server in
            let session = try await server.get(path)
            #expect(session.status == 200)
            #expect(session[json: "createdAt"] == .string(Timestamp.rfc3339(wall.now - 1000)))
        }
    }
}

extension LiveServer {
    /// Waits until exactly so many sessions are in memory.
    fileprivate func hasResidents(_ count: Int) async throws {
        try await waitUntil { running.residentSessions == count }
    }

    /// Waits until so many alarms have rung.
    fileprivate func rings(_ count: Int) async throws {
        try await waitUntil { log.text.split(separator: "alarm/ring").count - 1 >= count }
    }
}
