import FaultyServices
import JSON
import Locks
import RemoteServices
import StoreHosting
import StoreKinds
import Stores
import Testing
import Upstream

/// The state of a session during its remote calls, with the kinds that the server hosts.
@Suite(.timeLimit(.minutes(5))) struct SessionTests {
    /// Whatever a service does, the state leaves loading, with the code that the fault has.
    @Test(arguments: (Fault.broken + Fault.late + Fault.shapeless + Fault.redirects).filter { $0.method == "GET" })
    func noFaultLeavesASessionLoading(_ fault: Fault) async throws {
        let turns = fault.turns
        try await withEnoughTime(fault.timeout) { timeout in
            let upstream = try FaultyUpstream(greeting: fault.greeting) { turns[min($0.index, turns.count - 1)] }
            var animal: JSONValue?
            try await withClient(of: upstream) {
                $0.timeout = timeout
            } _: { client in
                let store = Animal.store.kind.connected(to: RemoteClients(["animal": client])).makeStore()
                #expect(await store.settle("animal/fetchAnimal"))
                animal = JSONPointer(tokens: ["animal"]).value(in: try JSONValue(parsing: store.read().json))
            }
            await upstream.until { $0.open == 0 }
            #expect(animal?["isLoading"] == false)
            if fault.outcome == "timeout", upstream.record.requests.count < fault.requests ?? 0 { return false }
            if let error = animal?["error"], error != .null {
                // To the animal API a status that is none of its own is a bad one.
                let code = Int(fault.outcome) == nil ? fault.outcome : "bad-status"
                #expect(error["code"]?.asString == code)
                #expect(animal?["currentAnimal"] == "")
                #expect(Int(fault.outcome) != 200)
            } else {
                #expect(animal?["currentAnimal"] == "Cat")
                #expect(fault.outcome == "200")
            }
            return true
        }
    }

    @Test func aNewerFetchClosesTheConnectionOfTheOlder() async throws {
        let upstream = try FaultyUpstream { $0.index == 0 ? [.hang] : [.send(Answer.ok())] }
        try await withClient(of: upstream) {
            $0.timeout = .seconds(600)
        } _: { client in
            let store = Animal.store.kind.connected(to: RemoteClients(["animal": client])).makeStore()
            store.dispatch(["type": "animal/fetchAnimal"], DispatchOptions()) { _ in }
            await upstream.until { $0.requests.count == 1 }
            #expect(await store.settle("animal/fetchAnimal"))
            await upstream.until { $0.ended == 1 }
            let state = try JSONValue(parsing: store.read().json)
            #expect(state["animal"]?["currentAnimal"] == "Cat")
        }
    }

    @Test func theEndOfASessionClosesItsConnection() async throws {
        let upstream = try FaultyUpstream(.hang)
        try await withClient(of: upstream) {
            $0.timeout = .seconds(600)
        } _: { client in
            let store = Animal.store.kind.connected(to: RemoteClients(["animal": client])).makeStore()
            store.dispatch(["type": "animal/fetchAnimal"], DispatchOptions()) { _ in }
            await upstream.until { $0.requests.count == 1 }
            store.end()
            await upstream.until { $0.ended == 1 }
        }
    }

    /// A trace goes to the service itself, and not to where that leads.
    @Test func aCallSendsTheTraceOfItsAction() async throws {
        let other = try FaultyUpstream(.send(Answer.ok()))
        let url = other.url
        let upstream = try FaultyUpstream { request in
            request.index == 1 ? [.send(Answer.status(302, "Location: \(url)"))] : [.send(Answer.ok())]
        }
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        try await withClient(of: upstream) { client in
            let store = Animal.store.kind.connected(to: RemoteClients(["animal": client])).makeStore()
            var options = DispatchOptions()
            options.trace = TraceContext(trace, tracestate: "a=1")
            #expect(await store.settle("animal/fetchAnimal", options))
            #expect(await store.settle("animal/fetchAnimal", options))
            #expect(await store.settle("animal/fetchAnimal"))
        }
        #expect(upstream.record.requests.map { $0.field("traceparent") } == [trace, trace, nil])
        #expect(upstream.record.requests.map { $0.field("tracestate") } == ["a=1", "a=1", nil])
        #expect(other.record.requests.map { $0.field("traceparent") } == [nil])
        #expect(other.record.requests.map { $0.field("tracestate") } == [nil])
    }

    @Test func everyCallIsCountedOnce() async throws {
        let upstream = try FaultyUpstream(inTurn: [
            [.send(Answer.ok())], [.send(Answer.status(404))], [.send(Answer.ok("{}"))], [.reset],
            [.send(Answer.ok())],
        ])
        try await withClient(of: upstream) { client in
            let store = Animal.store.kind.connected(to: RemoteClients(["animal": client])).makeStore()
            for _ in 0..<4 { #expect(await store.settle("animal/fetchAnimal")) }
            let numbers = client.metrics
            #expect(numbers.name == "animal")
            #expect(numbers.calls == 4)
            #expect(numbers.answers == [2: 3, 4: 1])
            #expect(numbers.failures == [.badStatus: 1, .badBody: 1])
            #expect(numbers.retries == 1)
            #expect(numbers.circuit == .closed)
            #expect([numbers.inFlight, numbers.waiting] == [0, 0])
            #expect(numbers.latency.count == 4)
            #expect(numbers.latency.sum > 0)
        }
    }

    @Test func gaugesShowCallsAndTheCircuit() async throws {
        let upstream = try FaultyUpstream { $0.index < 2 ? [.hold, .send(Answer.status(500))] : [.send(Answer.ok())] }
        try await withClient(of: upstream) {
            $0.maxConcurrent = 1
            $0.maxWaiting = 1
            $0.breakerFailures = 2
            $0.breakerCooldown = .seconds(600)
        } _: { client in
            let outcomes = Outcomes()
            for number in 0..<3 { outcomes.call(client, "\(number)") }
            await outcomes.wait(for: 1)
            #expect([client.metrics.inFlight, client.metrics.waiting] == [1, 1])
            upstream.release()
            await outcomes.wait(for: 3)
            #expect(await client.outcome() == "circuit-open")
            let numbers = client.metrics
            #expect(numbers.calls == 4)
            #expect(numbers.answers == [5: 2])
            #expect(numbers.failures == [.overloaded: 1, .circuitOpen: 1])
            #expect(numbers.circuit == .open)
            #expect(numbers.latency.count == 2)
        }
    }

    @Test func eachAttemptIsReported() async throws {
        let upstream = try FaultyUpstream(inTurn: [[.close], [.send(Answer.ok())]])
        let (events, tell) = AsyncStream.makeStream(of: UpstreamEvent.self)
        let upstreams = try CurlUpstreams(userAgent: "test") { tell.yield($0) }
        var settings = UpstreamSettings(name: "animal", url: upstream.url)
        settings.timeout = .seconds(120)
        #expect(await (try upstreams.client(for: settings)).outcome() == "200")
        await upstreams.shutdown()
        tell.finish()
        var told: [String] = []
        for await case .attempt(let upstream, let method, let number, let outcome, _) in events {
            told.append("\(upstream) \(method) \(number) \(outcome)")
        }
        // 52: libcurl got nothing.
        #expect(
            told == [
                "animal GET 1 failed(RemoteServices.RemoteFailure.Code.unreachable, library: Optional(52))",
                "animal GET 2 answered(status: 200)",
            ])
    }
}

extension HostedStore {
    /// Dispatches an action, and waits for all that comes of it.
    /// - Returns: whether it was done.
    fileprivate func settle(_ type: String, _ options: DispatchOptions = DispatchOptions()) async -> Bool {
        await Promise.value { done in
            dispatch(["type": .string(type)], options) { result in
                guard result.state != nil else { return done(false) }
                result.whenSettled { done(true) }
            }
        }
    }
}
