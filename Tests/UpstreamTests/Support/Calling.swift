import FaultyServices
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
    _ change: (inout UpstreamSettings) -> Void = { _ in },
    _ body: (CurlClient) async throws -> Void
) async throws {
    var settings = UpstreamSettings(name: "animal", url: url)
    // A test that checks a deadline sets its own. No other should meet one, however slow the machine is.
    settings.timeout = .seconds(60)
    change(&settings)
    let upstreams = try CurlUpstreams(implementation: implementation, userAgent: "storehouse/0")
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(try upstreams.client(for: settings)))
    } catch {
        result = .failure(error)
    }
    await upstreams.shutdown()
    try result.get()
}

extension CurlClient {
    /// What a GET ends with: a status in words, or a failure's code.
    func outcome(_ request: RemoteRequest = RemoteRequest()) async -> String {
        do throws(RemoteFailure) {
            return "\(try await call(request).status)"
        } catch {
            return error.code.rawValue
        }
    }

    /// What so many calls at once end with, counted.
    func outcomes(of count: Int) async -> [String: Int] {
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<count {
                group.addTask { await self.outcome() }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }
}
