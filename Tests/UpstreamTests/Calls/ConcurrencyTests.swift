import FaultyServices
import Platform
import RemoteServices
import Sockets
import Stores
import Testing
import Upstream

#if os(Linux)
    import Glibc
#endif

/// Many calls, and what they share.
@Suite(.timeLimit(.minutes(5))) struct ConcurrencyTests {
    /// So calls follow a name to its new address. Such a connection ends once the calls on it have.
    @Test func aConnectionThatIsTooOldBeginsNoMoreCalls() async throws {
        let upstream = try FaultyUpstream { request in
            request.index == 0 ? [.hold, .send(Answer.ok())] : [.send(Answer.ok())]
        }
        try await withClient(url: upstream.url, connectionAge: .zero) { client in
            async let first = client.outcome()
            await upstream.until { $0.requests.count == 1 }
            for _ in 0..<3 { #expect(await client.outcome() == "200") }
            upstream.release()
            #expect(await first == "200")
            #expect(await client.outcome() == "200")
        }
        #expect(upstream.record.requests.map(\.connection) == [0, 1, 2, 3, 4])
    }

    @Test(arguments: LoopImplementation.allCases)
    func manyCallsUseNoThreadsOfTheirOwn(_ implementation: LoopImplementation) async throws {
        let upstream = try FaultyUpstream(.hold, .send(Answer.ok()))
        try await withClient(of: upstream, on: implementation) {
            $0.maxConcurrent = 700
        } _: { client in
            let before = entries(of: "/proc/self/task")
            async let outcomes = client.outcomes(of: 800)
            await upstream.until { $0.requests.count == 700 }
            // Other tests have threads as well, but not one for each of these calls.
            #expect(entries(of: "/proc/self/task") - before < 700)
            #expect(upstream.record.open == 700)
            upstream.release()
            #expect(await outcomes == ["200": 800])
        }
        await upstream.until { $0.open == 0 }
    }

    /// More calls than one of libcurl's handles takes. Each handle resolves the name once.
    @Test func manyCallsByNameAreAnswered() async throws {
        let upstream = try FaultyUpstream(.hold, .send(Answer.ok()))
        try await withClient(url: "http://localhost:\(upstream.port)/") {
            $0.maxConcurrent = 600
        } _: { client in
            async let outcomes = client.outcomes(of: 600)
            await upstream.until { $0.requests.count == 600 }
            upstream.release()
            #expect(await outcomes == ["200": 600])
        }
        await upstream.until { $0.open == 0 }
    }

    @Test func aFullQueueRefusesACallAtOnce() async throws {
        let upstream = try FaultyUpstream(.hold, .send(Answer.ok()))
        try await withClient(of: upstream) {
            $0.maxConcurrent = 2
            $0.maxWaiting = 3
        } _: { client in
            let outcomes = Outcomes()
            for number in 0..<7 { outcomes.call(client, "\(number)") }
            await outcomes.wait(for: 2)
            #expect(Array(outcomes.all.values) == ["overloaded", "overloaded"])
            upstream.release()
            await outcomes.wait(for: 7)
            #expect(outcomes.all.values.filter { $0 == "200" }.count == 5)
        }
        #expect(upstream.record.connections <= 2)
    }

    @Test func oneConnectionServesManyCalls() async throws {
        try await expectConnections([0, 0, 0, 0, 0, 0]) {
            let upstream = try FaultyUpstream(.send(Answer.ok()))
            try await withClient(of: upstream) { client in
                for method in ["GET", "POST", "GET", "POST", "PUT", "HEAD"] {
                    #expect(await client.outcome(RemoteRequest(method: method)) == "200")
                }
            }
            return upstream.record.requests.map(\.connection)
        }
    }

    @Test func aConnectionClosedByTheServiceIsNotReused() async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()), .close)
        try await withClient(of: upstream) {
            $0.retries = 0
        } _: { client in
            for count in 1...5 {
                #expect(await client.outcome(RemoteRequest(method: "POST")) == "200")
                await upstream.until { $0.connections == count && $0.open == 0 }
            }
        }
        #expect(upstream.record.connections == 5)
    }

    /// Outages are not multiplied: retries beyond the budget are not made. Each second adds to it, however slow the machine is.
    @Test func retriesStayWithinTheirBudget() async throws {
        let upstream = try FaultyUpstream(.send(Answer.status(503)))
        try await withClient(of: upstream) {
            $0.breakerFailures = 0
        } _: { client in
            let began = MonotonicInstant.current
            #expect(await client.outcomes(of: 1000) == ["503": 1000])
            let seconds = began.duration(to: .current) / .seconds(1)
            #expect(Double(upstream.record.requests.count) <= 1000 + 100 + 1000 / 4 + 10 * seconds)
        }
    }

    @Test func idleConnectionsAreClosedInTheEnd() async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()))
        let before = entries(of: "/proc/self/fd")
        for _ in 0..<500 {
            try await withClient(of: upstream) { #expect(await $0.outcome() == "200") }
        }
        // Other tests open some too, for as long as they run; one for each of these rounds would never go away.
        let limit = ContinuousClock.now + .seconds(60)
        while entries(of: "/proc/self/fd") - before >= 500 {
            try #require(ContinuousClock.now < limit)
            await Task.yield()
        }
    }

    /// How many names a directory has; 0 where there is none.
    private func entries(of path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil {
            count += 1
        }
        return count
    }
}
