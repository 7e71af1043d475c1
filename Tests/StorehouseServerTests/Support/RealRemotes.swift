import RemoteServices
import ServerWiring
import Sockets
import StoreHosting
import StoreKinds
import Stores
import Upstream

/// The remote services as they are in production: libcurl calls a server over a socket.
enum RealRemotes {
    /// Runs `body` with clients of the demo services.
    static func run<Result: Sendable>(
        maxDelay: Duration = .zero, timeout: Duration = .seconds(3600),
        _ body: (_ animal: any RemoteClient, _ auth: any RemoteClient) async throws -> Result
    ) async throws -> Result {
        let demo = try DemoUpstreamServer(StoreKind.all.flatMap(\.services), maxDelay: maxDelay)
        do {
            let result = try await run(url: demo.url, timeout: timeout, body)
            await demo.stop()
            return result
        } catch {
            await demo.stop()
            throw error
        }
    }

    /// Runs `body` with clients of whatever is, or is not, at `url`.
    static func run<Result: Sendable>(
        url: String, timeout: Duration = .seconds(3600),
        _ body: (_ animal: any RemoteClient, _ auth: any RemoteClient) async throws -> Result
    ) async throws -> Result {
        let curl = try CurlUpstreams(userAgent: "tests")
        var animal = UpstreamSettings(name: "animal", url: url + "/animal")
        var auth = UpstreamSettings(name: "auth", url: url + "/login")
        animal.timeout = timeout
        auth.timeout = timeout
        let clients = (try curl.client(for: animal), try curl.client(for: auth))
        do {
            let result = try await body(clients.0, clients.1)
            await curl.shutdown()
            return result
        } catch {
            await curl.shutdown()
            throw error
        }
    }
}
