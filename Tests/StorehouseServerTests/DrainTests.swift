import JSON
import Sockets
import StoreHosting
import StorehouseServer
import StoresTesting
import Testing

/// Shutting down: requests in progress are answered, new ones are refused.
///
/// Where a drain must not wait, it could wait for an hour: only a fault exceeds the limit of the suite.
@Suite(.timeLimit(.minutes(10))) struct DrainTests {
    private static let hour = Configuration.with { $0.http.drainTimeout = .seconds(3600) }

    @Test(arguments: LoopImplementation.allCases)
    func requestsInProgressAreAnsweredAndNewOnesRefused(_ loops: LoopImplementation) async throws {
        let remote = ScriptedRemoteClient()
        try await LiveServer.run(animal: remote, loops: loops, configuration: Self.hour) { server in
            let session = try await server.session()
            let held = try await Self.hold(session, on: server, remote)
            async let drained: Void = server.running.drain()
            let readiness = try await Self.untilDraining(server)
            #expect(readiness.code == "draining")
            #expect(readiness["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            #expect(try await Self.answer(server, TestRequest("POST", "/sessions")).code == "draining")
            #expect(try await Self.answer(server, session.request("counter/increment")).code == "draining")
            #expect(try await Self.answer(server, TestRequest("GET", session.path + "/events")).code == "draining")
            #expect(try await Self.answer(server, TestRequest("GET", "/healthz")).status == 200)
            #expect(try await Self.answer(server, TestRequest("GET", session.path + "/state")).revision == 1)
            remote.reply(#"{"animal":"Cat"}"#)
            let response = try await held.response()
            #expect(response.at("/state/animal/currentAnimal") == "Cat")
            #expect(response["connection"] == "close")
            await drained
            #expect(try await held.rest().isEmpty)
            await #expect(throws: Wire.Failure.self) { try await server.get("/healthz") }
        }
    }

    @Test func aNodeOpensNoStreamsOfOtherNodesThen() async throws {
        let remote = ScriptedRemoteClient()
        try await TestCluster.run(animal: remote, configuration: Self.hour) { cluster in
            let (here, there) = (try await cluster.second.session(), try await cluster.first.session())
            let held = try await Self.hold(here, on: cluster.second, remote)
            async let drained: Void = cluster.second.running.drain()
            _ = try await Self.untilDraining(cluster.second)
            let events = TestRequest("GET", there.path + "/events")
            #expect(try await Self.answer(cluster.second, events).code == "draining")
            remote.reply(#"{"animal":"Cat"}"#)
            #expect(try await held.response().status == 200)
            await drained
        }
    }

    /// The process must have ended when time is up, so remaining connections are closed a little earlier.
    @Test(arguments: [(10_000, 9_500), (2_000, 1_800), (1, 0)])
    func connectionsAreClosedBeforeTheTimeoutEnds(_ timeout: Int, _ soonest: Int) {
        let configuration = Configuration.with { $0.http.drainTimeout = .milliseconds(timeout) }
        #expect(configuration.http.disconnectAfter >= .milliseconds(soonest))
        #expect(configuration.http.disconnectAfter < .milliseconds(timeout))
    }

    @Test func aWaitingAnswerIsSentWithTheCurrentState() async throws {
        let configuration = Configuration.with {
            $0.http.drainTimeout = .seconds(1)
            $0.http.maxWait = .seconds(3600)
        }
        // The connection is closed 180 ms after the answer. Where the loop stands still for so long, it has no time to send it.
        try await inOneOf(10) {
            let remote = ScriptedRemoteClient()
            let held = try await LiveServer.run(animal: remote, configuration: configuration) { server in
                try await Self.hold(try await server.session(), on: server, remote)
            }
            let answer = try await held.response()
            #expect(answer.at("/state/animal/isLoading") == true)
            #expect(try await held.rest().isEmpty)
            await remote.cancelled(times: 1)
        }
    }

    @Test func endlessRequestsAreClosedWhenTimeIsUp() async throws {
        let configuration = Configuration.with { $0.http.drainTimeout = .milliseconds(200) }
        let half = try await LiveServer.run(configuration: configuration) { server in
            let client = try server.client()
            try await client.send(
                Array("POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n{".utf8))
            // Answered behind it on the same loop or not, the head has been sent before the drain begins.
            _ = try await server.get("/healthz")
            return client
        }
        await #expect(throws: Wire.Failure.self) { try await half.response() }
    }

    @Test func idleConnectionsAreClosedAtOnce() async throws {
        let client = try await LiveServer.run(configuration: Self.hour) { server in
            let client = try server.client()
            _ = try await client.exchange(TestRequest("GET", "/healthz"))
            return client
        }
        #expect(try await client.rest().isEmpty)
    }

    /// As a browser or a load balancer opens some for later.
    @Test(arguments: LoopImplementation.allCases)
    func connectionsThatSendNothingAreClosedDuringADrain(_ loops: LoopImplementation) async throws {
        let remote = ScriptedRemoteClient()
        try await LiveServer.run(animal: remote, loops: loops, configuration: Self.hour) { server in
            let earlier = try server.client()
            let held = try await Self.hold(try await server.session(), on: server, remote)
            async let drained: Void = server.running.drain()
            _ = try await Self.untilDraining(server)
            let later = try server.client()
            #expect(try await earlier.rest().isEmpty)
            #expect(try await later.rest().isEmpty)
            // The request in progress is answered all the same.
            remote.reply(#"{"animal":"Cat"}"#)
            #expect(try await held.response().status == 200)
            await drained
        }
    }

    @Test func aJournalThatNeverClosesDoesNotHoldUpTheDrain() async throws {
        try await expectTimelyDrain(withoutStep: "journal", journal: StuckJournal())
    }

    @Test func aLastStepThatNeverEndsDoesNotHoldUpTheDrain() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        try await expectTimelyDrain(withoutStep: "upstreams") { for await _ in ended {} }
        end.finish()
    }

    @Test(arguments: LoopImplementation.allCases)
    func aBusyLoopDoesNotHoldUpTheDrain(_ loops: LoopImplementation) async throws {
        let job = BlockingJob()
        try await LiveServer.run(kinds: [.blocking(job)], loops: loops, configuration: Self.short) { server in
            let client = try server.client()
            let session = try await server.session("blocking")
            try await client.send(session.request("blocking/block").bytes)
            await job.started()
            await server.running.drain()
            #expect(server.log.text.contains("step=connections"))
            #expect(server.log.text.contains("step=loops"))
            #expect(server.log.text.contains("info stopped"))
            job.release()
        }
    }

    private static let short = Configuration.with { $0.http.drainTimeout = .milliseconds(500) }

    /// Drains a server of which one step never ends.
    private func expectTimelyDrain(
        withoutStep step: String, journal: (any Journal)? = nil, lastStep: @escaping @Sendable () async -> Void = {}
    ) async throws {
        try await LiveServer.run(configuration: Self.short, journal: journal) { server in
            _ = try await server.session()
            await server.running.drain(lastStep: lastStep)
            #expect(server.log.text.contains("a step of the drain did not end in time step=\(step)"))
            #expect(server.log.text.contains("info stopped"))
        }
    }

    /// Sends a request whose answer waits for the remote service.
    private static func hold(
        _ session: LiveSession, on server: LiveServer, _ remote: ScriptedRemoteClient
    ) async throws -> TestClient {
        let client = try server.client()
        try await client.send(session.request("animal/fetchAnimal", fields: [("Prefer", "wait=3600")]).bytes)
        await remote.called(times: 1)
        return client
    }

    /// A response on a new connection. A connection that came too early, or to a loop that has finished, is made again.
    private static func answer(_ server: LiveServer, _ request: TestRequest) async throws -> TestResponse {
        let limit = ContinuousClock.now + .seconds(Wire.waitTimeout)
        while true {
            if let client = try? server.client(), let response = try? await client.exchange(request) { return response }
            guard ContinuousClock.now < limit else { throw Wire.Failure.tookTooLong }
            try await takeBreath()
        }
    }

    private static func untilDraining(_ server: LiveServer) async throws -> TestResponse {
        let limit = ContinuousClock.now + .seconds(Wire.waitTimeout)
        while true {
            let response = try await answer(server, TestRequest("GET", "/readyz"))
            if response.status == 503 { return response }
            #expect(response.status == 200)
            guard ContinuousClock.now < limit else { throw Wire.Failure.tookTooLong }
        }
    }
}
