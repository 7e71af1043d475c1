import FaultyServices
import Locks
import Platform
import RemoteServices
import Sockets
import Stores
import Testing
import Upstream

/// Calls that are cut off from this side.
@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    @Test(arguments: LoopImplementation.allCases)
    func cancellingClosesTheConnection(_ implementation: LoopImplementation) async throws {
        let upstream = try FaultyUpstream(.hang)
        try await withClient(of: upstream, on: implementation) {
            $0.timeout = .seconds(600)
        } _: { client in
            let task = Task { await client.outcome() }
            await upstream.until { $0.requests.count == 1 }
            task.cancel()
            #expect(await task.value == "interrupted")
            await upstream.until { $0.ended == 1 }
        }
    }

    @Test func aCancelledTaskSendsNoRequest() async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()))
        try await withClient(of: upstream) { client in
            let outcome = await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await client.outcome()
            }.value
            #expect(outcome == "interrupted")
        }
        #expect(upstream.record.requests.isEmpty)
    }

    @Test func aQueuedCallCanBeCancelled() async throws {
        let upstream = try FaultyUpstream(.hold, .send(Answer.ok()))
        try await withClient(of: upstream) {
            $0.maxConcurrent = 1
        } _: { client in
            let outcomes = Outcomes()
            outcomes.call(client, "first")
            await upstream.until { $0.requests.count == 1 }
            let second = outcomes.call(client, "second")
            outcomes.call(client, "third")
            while client.metrics.waiting < 2 { await Task.yield() }
            second.cancel()
            await outcomes.wait(for: 1)
            upstream.release()
            await outcomes.wait(for: 3)
            #expect(outcomes.all == ["second": "interrupted", "first": "200", "third": "200"])
        }
        #expect(upstream.record.requests.count == 2)
    }

    @Test func aCallBetweenRetriesCanBeCancelled() async throws {
        let upstream = try FaultyUpstream(.send(Answer.status(503, "Retry-After: 300")))
        try await withClient(of: upstream) {
            $0.timeout = .seconds(600)
        } _: { client in
            let task = Task { await client.outcome() }
            await upstream.until { $0.requests.count == 1 }
            task.cancel()
            #expect(await task.value == "interrupted")
        }
    }

    @Test func theDeadlineClosesTheConnection() async throws {
        try await withEnoughTime(.milliseconds(100)) { timeout in
            let upstream = try FaultyUpstream(.hang)
            var isConnected = false
            try await withClient(of: upstream) {
                $0.timeout = timeout
            } _: { client in
                let began = MonotonicInstant.current
                #expect(await client.outcome() == "timeout")
                #expect(began.duration(to: .current) >= timeout)
                isConnected = upstream.record.connections == 1
                guard isConnected else { return }
                // While the client goes on.
                await upstream.until { $0.open == 0 }
                #expect(upstream.record.ended == 1)
            }
            return isConnected
        }
    }

    @Test func theDeadlineIncludesTheTimeInTheQueue() async throws {
        let upstream = try FaultyUpstream(.hang)
        try await withClient(of: upstream) {
            $0.timeout = .milliseconds(100)
            $0.maxConcurrent = 1
            $0.breakerFailures = 0
        } _: { client in
            #expect(await client.outcomes(of: 4) == ["timeout": 4])
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func shutdownInterruptsEveryCall(_ implementation: LoopImplementation) async throws {
        let upstream = try FaultyUpstream { $0.index == 0 ? [.send(Answer.status(503, "Retry-After: 300"))] : [.hang] }
        let upstreams = try CurlUpstreams(implementation: implementation, userAgent: "test")
        var settings = UpstreamSettings(name: "animal", url: upstream.url)
        settings.timeout = .seconds(600)
        settings.maxConcurrent = 2
        let client = try upstreams.client(for: settings)
        let outcomes = Outcomes()
        for number in 0..<4 { outcomes.call(client, "\(number)") }
        await upstream.until { $0.requests.count == 2 }
        await upstreams.shutdown()
        await outcomes.wait(for: 4)
        #expect(outcomes.all == ["0": "interrupted", "1": "interrupted", "2": "interrupted", "3": "interrupted"])
        #expect(await client.outcome() == "interrupted")
        await upstreams.shutdown()
        await upstream.until { $0.open == 0 }
    }

    @Test func deallocationClosesEveryConnection() async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()))
        try await callOnce(upstream)
        await upstream.until { $0.connections == 1 && $0.open == 0 }
    }

    private func callOnce(_ upstream: FaultyUpstream) async throws {
        var settings = UpstreamSettings(name: "animal", url: upstream.url)
        settings.timeout = .seconds(120)
        let client = try CurlUpstreams(userAgent: "test").client(for: settings)
        #expect(await client.outcome() == "200")
    }
}
