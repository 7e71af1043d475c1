import Locks
import Sessions
import StorehouseServer
import Testing

/// How long the first answer to a request with an Idempotency-Key is kept, while somebody sets the wall clock.
@Suite struct KeyLifetimeTests {
    /// The clocks of a machine, which the test moves.
    private final class Machine: Sendable {
        private let clocks = Locked((wall: 1_700_000_000_000, steady: 5_000_000, boot: UInt64(1)))

        var clock: WallClock {
            WallClock(
                now: { self.clocks.withLock(\.wall) }, steady: { self.clocks.withLock(\.steady) },
                boot: clocks.withLock(\.boot))
        }

        /// Sets the wall clock.
        func step(by milliseconds: Int) { clocks.withLock { $0.wall += milliseconds } }

        /// Time passes.
        func pass(_ milliseconds: Int) {
            clocks.withLock { clocks in
                clocks.wall += milliseconds
                clocks.steady += milliseconds
            }
        }

        /// Boots the machine again.
        func boot() { clocks.withLock { $0 = ($0.wall, 1000, $0.boot + 1) } }
    }

    private static let lifetime = 600_000

    /// Sends the one request with the key.
    private func post(_ session: LiveSession) async throws -> TestResponse {
        try await session.dispatch("counter/increment", fields: [("Idempotency-Key", "\"a\"")])
    }

    private func expectReplay(_ session: LiveSession) async throws {
        let again = try await post(session)
        #expect(again["idempotency-replayed"] == "true" && again.taggedRevision == 1)
    }

    @Test(arguments: [700_000, 86_400_000, -700_000, -86_400_000], [false, true])
    func aStepOfTheWallClockDoesNotEndTheKeysOfThisRun(_ step: Int, _ isDurable: Bool) async throws {
        let machine = Machine()
        let body: @Sendable (TestAPI) async throws -> Void = {
            (api: TestAPI) async throws -> Void in
            let session = try await api.session()
            #expect(try await post(session).taggedRevision == 1)
            machine.step(by: step)
            try await expectReplay(session)
            machine.pass(Self.lifetime)
            try await expectReplay(session)
            machine.pass(1)
            let later = try await post(session)
            #expect(later["idempotency-replayed"] == nil && later.taggedRevision == 2)
        }
        if isDurable {
            try await DurableServer().runAPI(clock: machine.clock, body)
        } else {
            try await TestAPI.run(clock: machine.clock, body)
        }
    }

    @Test(arguments: [700_000, -700_000])
    func aStepOfTheWallClockDoesNotEndTheKeysOfAHibernatedSession(_ step: Int) async throws {
        let machine = Machine()
        let configuration = Configuration.with { $0.sessions.maxResident = 1 }
        try await DurableServer().runAPI(clock: machine.clock, configuration: configuration) {
            (api: TestAPI) async throws -> Void in
            let session = try await api.session()
            #expect(try await post(session).taggedRevision == 1)
            machine.step(by: step)
            _ = try await api.session().increment()
            try await api.hibernates(to: 1)
            try await expectReplay(session)
        }
    }

    @Test(arguments: [700_000, -700_000])
    func aStepOfTheWallClockBetweenTwoRunsEndsNoKey(_ step: Int) async throws {
        let machine = Machine()
        let durable = try DurableServer()
        let path = try await durable.runAPI(clock: machine.clock) {
            (api: TestAPI) async throws -> String in
            let session = try await api.session()
            #expect(try await post(session).taggedRevision == 1)
            return session.path
        }
        machine.step(by: step)
        try await durable.runAPI(clock: machine.clock) {
            (api: TestAPI) async throws -> Void in
            try await expectReplay(LiveSession(server: api, path: path))
            machine.pass(Self.lifetime - 1000)
            try await expectReplay(LiveSession(server: api, path: path))
        }
    }

    /// Nothing else is known then.
    @Test(arguments: [(off: 500_000, isKept: true), (off: 700_000, isKept: false)])
    func theWallClockTellsTheAgeOfKeysAfterABoot(_ off: Int, _ isKept: Bool) async throws {
        let machine = Machine()
        let durable = try DurableServer()
        let path = try await durable.runAPI(clock: machine.clock) {
            (api: TestAPI) async throws -> String in
            let session = try await api.session()
            #expect(try await post(session).taggedRevision == 1)
            return session.path
        }
        machine.boot()
        machine.step(by: off)
        try await durable.runAPI(clock: machine.clock) {
            (api: TestAPI) async throws -> Void in
            let session = LiveSession(server: api, path: path)
            #expect(try await (post(session)["idempotency-replayed"] == "true") == isKept)
            machine.step(by: 700_000)
            #expect(try await post(session)["idempotency-replayed"] == "true")
        }
    }

    @Test(arguments: [7_200_000, -7_200_000])
    func anEndedSessionIsKnownAfterAStepOfTheWallClock(_ step: Int) async throws {
        let machine = Machine()
        let durable = try DurableServer()
        let path = try await durable.runAPI(clock: machine.clock) {
            (api: TestAPI) async throws -> String in
            let session = try await api.session()
            _ = try await session.increment()
            machine.step(by: step)
            #expect(try await session.delete().status == 204)
            return session.path
        }
        machine.step(by: step)
        try await durable.runAPI(clock: machine.clock) {
            (api: TestAPI) async throws -> Void in
            #expect(try await api.get(path).code == "session-ended")
        }
    }

    /// A use in the future would keep the session for ever, and one in the past would end it after a restart.
    @Test(arguments: [-86_400_000 * 30, 86_400_000 * 30])
    func aWatchedSessionIsUsedInSessionTimeWhateverTheWallClockShows(_ step: Int) async throws {
        let machine = Machine()
        let configuration = Configuration.with { $0.sessions.idleTimeout = .seconds(3600) }
        let durable = try DurableServer()
        let path = try await durable.runAPI(clock: machine.clock, configuration: configuration) {
            (api: TestAPI) async throws -> String in
            let session = try await api.session()
            _ = try await session.increment()
            machine.step(by: step)
            machine.pass(3_000_000)
            // The server stops while the stream is open.
            _ = try await session.events().event()
            return session.path
        }
        try await durable.runAPI(clock: machine.clock, configuration: configuration) {
            (api: TestAPI) async throws -> Void in
            let session = LiveSession(server: api, path: path)
            machine.pass(3_000_000)
            #expect(try await session.read().status == 200)
        }
        try await durable.runAPI(clock: machine.clock, configuration: configuration) {
            (api: TestAPI) async throws -> Void in
            machine.pass(3_601_000)
            #expect(try await api.get(path).code == "session-ended")
        }
    }
}
