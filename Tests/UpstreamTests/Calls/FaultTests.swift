import FaultyServices
import RemoteServices
import Sockets
import Stores
import Testing
import Upstream

/// Real services misbehave, and every call ends with the right word and the right number of attempts.
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
    @Test(arguments: Fault.broken + Fault.late + Fault.shapeless + Fault.statuses + Fault.redirects)
    func everyFaultHasItsFailureCode(_ fault: Fault) async throws {
        let turns = fault.turns
        try await withEnoughTime(fault.timeout) { timeout in
            let upstream = try FaultyUpstream(greeting: fault.greeting) { turns[min($0.index, turns.count - 1)] }
            let clock = ContinuousClock()
            let start = clock.now
            var outcome = ""
            try await withClient(of: upstream) {
                $0.timeout = timeout
            } _: { client in
                outcome = await client.outcome(RemoteRequest(method: fault.method))
            }
            #expect(clock.now - start < timeout + .seconds(60))
            await upstream.until { $0.open == 0 }
            let count = upstream.record.requests.count
            if fault.outcome == "timeout", count < fault.requests ?? 0 { return false }
            #expect(outcome == fault.outcome)
            if let requests = fault.requests { #expect(count == requests) }
            return true
        }
    }

    /// The longest encoding of a body that is still within the limits.
    @Test func aBodyInChunksOfOneByteIsAnswered() async throws {
        let upstream = try FaultyUpstream(
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .send(String(repeating: "1\r\n \r\n", count: 60_000) + "0\r\n\r\n"))
        try await withClient(of: upstream) { client in
            let body = try await client.call(RemoteRequest()).body
            #expect(body.count == 60_000)
        }
    }

    @Test(arguments: ["GET", "POST"])
    func aRefusedConnectionIsUnreachable(_ method: String) async throws {
        // Nobody listens on port 1, and no test can be given it.
        try await withClient(url: "http://127.0.0.1:1/") { client in
            #expect(await client.outcome(RemoteRequest(method: method)) == "unreachable")
        }
    }

    /// Nobody is on the way to the first address; the second is a service with a full line, whose system drops who comes.
    @Test func aConnectionThatNobodyAcceptsEndsAtTheDeadline() async throws {
        try await withClient(url: "http://255.255.255.255/") { client in
            #expect(await client.outcome() == "unreachable")
        }
        #if os(Linux)
            let (listener, port) = try TestSocket.listen(backlog: 0)
            defer { TestSocket.shut(listener) }
            // One that is never accepted fills it.
            let crowd = try (0..<4).map { _ in try TestSocket.connect(to: port) }
            defer { for descriptor in crowd { TestSocket.shut(descriptor) } }
            try await withClient(url: "http://127.0.0.1:\(port)/") {
                $0.timeout = .milliseconds(200)
            } _: { client in
                #expect(await client.outcome() == "timeout")
            }
        #endif
    }

    /// The limit counts from the first byte: thinking is no dripping.
    @Test func aSlowResponseIsGivenUpBeforeTheDeadline() async throws {
        let upstream = try FaultyUpstream(.send("HTTP/1.1 200 OK\r\n"), .drip(String(repeating: "X", count: 60_000)))
        try await withClient(of: upstream) {
            $0.timeout = .seconds(600)
            $0.lowSpeedBytes = 1000
            $0.lowSpeedTime = .milliseconds(300)
        } _: { client in
            #expect(await client.outcome() == "timeout")
        }
        await upstream.until { $0.open == 0 }
        #expect(upstream.record.requests.count == 1)
    }

    @Test func theTimeBeforeTheFirstByteIsNotASlowResponse() async throws {
        let upstream = try FaultyUpstream(.hold, .send(Answer.ok()))
        try await withClient(of: upstream) {
            $0.timeout = .seconds(600)
            $0.lowSpeedBytes = 1 << 30
            $0.lowSpeedTime = .milliseconds(50)
        } _: { client in
            // By the time that another has been given up, so would this be.
            async let outcome = client.outcome()
            await upstream.until { $0.requests.count == 1 }
            let hanging = try FaultyUpstream(.hang)
            try await withClient(of: hanging) {
                $0.timeout = .milliseconds(200)
            } _: {
                #expect(await $0.outcome() == "timeout")
            }
            upstream.release()
            #expect(await outcome == "200")
        }
    }

    @Test func aNameThatDoesNotExistIsUnreachableForEveryCall() async throws {
        try await withClient(url: "http://nowhere.invalid/") { client in
            let outcomes = await client.outcomes(of: 40)
            #expect(outcomes == ["unreachable": 40])
        }
    }

    @Test func aServiceWithoutTLSIsUnreachableByHTTPS() async throws {
        let upstream = try FaultyUpstream(greeting: [.send(Answer.status(400)), .close], .close)
        try await withClient(url: "https://127.0.0.1:\(upstream.port)/") { client in
            #expect(await client.outcome() == "unreachable")
        }
    }

    @Test func privateAddressesAreDenied() async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()))
        for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
            try await withClient(url: "http://\(host):\(upstream.port)/") {
                $0.denyPrivate = true
            } _: { client in
                #expect(await client.outcome() == "unreachable")
            }
        }
        #expect(upstream.record.connections == 0)
    }

    /// libcurl by itself would send the request again on a new connection.
    @Test(arguments: ["GET", "POST"])
    func libcurlRepeatsNoRequestByItself(_ method: String) async throws {
        try await expectConnections([0, 0]) {
            let upstream = try FaultyUpstream { $0.index == 0 ? [.send(Answer.ok())] : [.close] }
            try await withClient(of: upstream) {
                $0.retries = 0
            } _: { client in
                #expect(await client.outcome(RemoteRequest(method: method)) == "200")
                #expect(await client.outcome(RemoteRequest(method: method)) == "unreachable")
            }
            return upstream.record.requests.map(\.connection)
        }
    }
}
