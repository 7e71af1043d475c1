import FaultyServices
import Locks
import Platform
import RemoteServices
import Sockets
import Stores
import Testing
import Upstream

/// Runs a test with a client, on each kind of loop there is, and ends the loop after it.
func withClient(
    of upstream: FaultyUpstream, on implementation: LoopImplementation = .preferred,
    _ change: (inout UpstreamSettings) -> Void = { _ in },
    _ body: (CurlClient) async throws -> Void
) async throws {
    try await withClient(url: upstream.url, on: implementation, change, body)
}

func withClient(
    url: String, on implementation: LoopImplementation = .preferred,
    connectionAge: Duration = .seconds(3600), events: Locked<[UpstreamEvent]>? = nil,
    _ change: (inout UpstreamSettings) -> Void = { _ in },
    _ body: (CurlClient) async throws -> Void
) async throws {
    var settings = UpstreamSettings(name: "animal", url: url)
    // A test that checks a deadline sets its own. No other should meet one, however slow the machine is.
    settings.timeout = .seconds(120)
    settings.lowSpeedTime = .seconds(120)
    change(&settings)
    let upstreams = try CurlUpstreams(
        implementation: implementation, userAgent: "storehouse/0", connectionAge: connectionAge,
        observe: { event in events?.withLock { $0.append(event) } })
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(try upstreams.client(for: settings)))
    } catch {
        result = .failure(error)
    }
    await upstreams.shutdown()
    try result.get()
}

/// Tries with ever more time, until a call gets as far as it should before the time is over. A slow machine needs more.
///
/// - Parameter attempt: returns whether the call got that far.
func withEnoughTime(_ first: Duration, _ attempt: (_ timeout: Duration) async throws -> Bool) async throws {
    var timeout = first
    while try await !attempt(timeout) {
        timeout *= 4
        try #require(timeout < .seconds(200), "a call did not get as far as it should in \(timeout / 4)")
    }
}

/// Tries again if the calls took so long that a connection may have been closed as an idle one between two of them.
///
/// - Parameter attempt: returns the connections that the calls used.
func expectConnections(_ expected: [Int], _ attempt: () async throws -> [Int]) async throws {
    while true {
        let began = MonotonicInstant.current
        let connections = try await attempt()
        if connections != expected, began.duration(to: .current) >= .seconds(10), !Task.isCancelled { continue }
        #expect(connections == expected)
        return
    }
}

extension CurlClient {
    /// The outcome of a GET: the status as text, or the code of the failure.
    func outcome(_ request: RemoteRequest = RemoteRequest()) async -> String {
        do throws(RemoteFailure) {
            return "\(try await call(request).status)"
        } catch {
            return error.code.rawValue
        }
    }

    /// Makes `count` calls at once, and counts their outcomes.
    func outcomes(of count: Int) async -> [String: Int] {
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<count {
                group.addTask { await self.outcome() }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }
}
