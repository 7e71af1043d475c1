import FaultyServices
import Platform
import RemoteServices
import Sockets
import Stores
import Testing
import Upstream

/// The breaker before a real service.
@Suite(.timeLimit(.minutes(5))) struct OpenCircuitTests {
    @Test func failuresOpenTheCircuitAndAProbeClosesIt() async throws {
        let cooldown = Duration.milliseconds(500)
        let upstream = try FaultyUpstream { [.send($0.index < 3 ? Answer.status(500) : Answer.ok())] }
        try await withClient(of: upstream) {
            $0.breakerFailures = 3
            $0.breakerCooldown = cooldown
        } _: { client in
            let began = MonotonicInstant.current
            for _ in 0..<3 {
                #expect(await client.outcome() == "500")
            }
            // Refused at once, again and again, until the probe goes through. A slow machine may come after the cooldown.
            var outcome = await client.outcome()
            #expect(outcome == "circuit-open" || began.duration(to: .current) >= cooldown)
            while outcome == "circuit-open", !Task.isCancelled { outcome = await client.outcome() }
            #expect(outcome == "200")
            #expect(upstream.record.requests.count == 4)
        }
    }

    @Test(arguments: [400, 401, 404, 429])
    func clientErrorsDoNotOpenTheCircuit(_ status: Int) async throws {
        let upstream = try FaultyUpstream(.send(Answer.status(status)))
        try await withClient(of: upstream) {
            $0.breakerFailures = 2
            $0.retries = 0
        } _: { client in
            for _ in 0..<5 {
                #expect(await client.outcome() == "\(status)")
            }
        }
    }

    @Test func unreachableAndTimeoutCountAsFailures() async throws {
        let upstream = try FaultyUpstream { $0.index == 0 ? [.close] : [.hang] }
        try await withClient(of: upstream) {
            $0.breakerFailures = 2
            $0.breakerCooldown = .seconds(3600)
            $0.retries = 0
        } _: { client in
            #expect(await client.outcome() == "unreachable")
            #expect(await client.outcome(RemoteRequest(timeout: .milliseconds(200))) == "timeout")
            #expect(await client.outcome() == "circuit-open")
        }
    }

    @Test func theRetriesOfACallCountAsOneFailure() async throws {
        let upstream = try FaultyUpstream(.close)
        try await withClient(of: upstream) {
            $0.breakerFailures = 2
            $0.breakerCooldown = .seconds(3600)
        } _: { client in
            #expect(await client.outcome() == "unreachable")
            #expect(await client.outcome() == "unreachable")
            #expect(await client.outcome() == "circuit-open")
        }
        #expect(upstream.record.requests.count == 6)
    }
}
