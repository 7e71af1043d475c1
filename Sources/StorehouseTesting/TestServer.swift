public import JSON
import Observability
public import RemoteServices
public import StoreHosting
import StorehouseServer
import Stores
import Upstream

@_exported public import enum ServerWiring.Storage

/// A real server in the process of a test, on a free port of this machine, with scripted remote services.
///
///     let quotes = ScriptedRemoteClient()
///     quotes.reply(#"{"text":"Hello"}"#)
///     try await TestServer.run([hall], upstreams: ["quotes": quotes]) { server in
///         let session = try await server.createSession()
///         let answer = try await server.dispatch(["type": "hall/clear"], to: session, waitingForEffects: true)
///         #expect(try answer.text(at: "state", "quote") == "Hello")
///     }
///
/// Anything that speaks HTTP can use ``url``; ``send(_:_:json:headers:)`` needs no other client. A server in token mode,
/// `configuration: ["access": ["mode": "token"]]`, has a secret of its own, and ``as(_:)`` sends requests of a user.
public final class TestServer: Sendable {
    /// For example `http://127.0.0.1:43121`.
    public let url: String
    private let client: any RemoteClient
    let tokens: TestTokens?
    /// The token of the requests; nil for requests without one.
    private let token: String?

    private init(url: String, client: any RemoteClient, tokens: TestTokens?) {
        self.url = url
        self.client = client
        self.tokens = tokens
        token = nil
    }

    /// The same server, for requests with a token.
    init(_ server: TestServer, token: String) {
        url = server.url
        client = server.client
        tokens = server.tokens
        self.token = token
    }

    /// Serves while `body` runs, then drains the server and closes its storage, also if `body` throws.
    ///
    /// - Parameters:
    ///   - kinds: the hosted kinds.
    ///   - upstreams: the clients of the remote services, by name. The demo of a service answers if it is missing here.
    ///   - settings: the configured values of the services' own settings, by service and setting.
    ///   - storage: the place of the sessions. A later server on the same SQLite file continues them.
    ///   - configuration: the settings of the server in the form of its file, such as `["http": ["maxWait": 5]]`. Neither the file
    ///     nor the environment is read. The address is replaced by a free port on a loopback address.
    ///   - body: the test.
    /// - Throws: the error of `body`, or why the server cannot start: what `serve` would report, a name in `upstreams` or
    ///   `settings` that no kind declares, or a service that has neither a client nor a demo.
    public static func run<Result: Sendable>(
        _ kinds: [any StoreKind.Convertible], upstreams: [String: any RemoteClient] = [:],
        settings: [String: [String: JSONValue]] = [:], storage: Storage = .memory, configuration: JSONValue = [:],
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let file = TestTokens.withSecret(configuration).encoded()
        var configured = try Configuration(file: file, named: "the configuration in code")
        storage.choose(in: &configured)
        return try await run(kinds, upstreams, settings, configured, body)
    }

    private static func run<Result: Sendable>(
        _ kinds: [any StoreKind.Convertible], _ upstreams: [String: any RemoteClient],
        _ settings: [String: [String: JSONValue]], _ configuration: Configuration,
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        configuration.http.host = "127.0.0.1"
        configuration.http.port = 0
        configuration.http.drainTimeout = min(configuration.http.drainTimeout, .seconds(2))
        let tokens = TestTokens(configuration.access)
        let kinds = kinds.map(\.kind)
        try configuration.check(kinds)
        let clients = try clients(of: kinds.flatMap(\.services), upstreams, settings)
        let log = Log(configuration.log)
        let running = try StorehouseServer(
            kinds: kinds.map { $0.connected(to: clients) }, configuration: configuration,
            journal: try configuration.journal(log), sealer: try configuration.storage.sealer()
        )
        .start(log: log)
        do {
            let curl = try CurlUpstreams(userAgent: StorehouseVersion.userAgent)
            var service = UpstreamSettings(name: "server", url: running.url)
            service.timeout = .seconds(120)
            service.retries = 0
            service.maxBodyBytes = 1 << 30
            service.breakerFailures = .max
            let result = try await body(TestServer(url: running.url, client: curl.client(for: service), tokens: tokens))
            await curl.shutdown()
            await running.drain()
            return result
        } catch {
            await running.drain()
            throw error
        }
    }

    private static func clients(
        of services: [RemoteService], _ upstreams: [String: any RemoteClient], _ settings: [String: [String: JSONValue]]
    ) throws(ConfigurationError) -> RemoteClients {
        let names = Set(services.map(\.name))
        var problems = Set(upstreams.keys).union(settings.keys).subtracting(names).sorted().map { name in
            ConfigurationProblem(path: "upstreams.\(name)", detail: "is declared by no store kind")
        }
        var clients: [String: any RemoteClient] = [:]
        for service in services where clients[service.name] == nil {
            clients[service.name] = upstreams[service.name] ?? service.demo.map(DemoClient.init)
        }
        for name in names.subtracting(clients.keys).sorted() {
            problems.append(
                ConfigurationProblem(
                    path: "upstreams.\(name)", detail: "has no demo; pass a client, such as a ScriptedRemoteClient"))
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return RemoteClients(clients, settings: settings)
    }
}

extension TestServer {
    /// Sends a request and returns the response, whatever its status.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST` and so on.
    ///   - path: the path with the query, such as `/sessions`.
    ///   - json: the body; nil for none.
    ///   - headers: header fields.
    /// - Throws: `RemoteFailure` if no complete response arrives.
    public func send(
        _ method: String = "GET", _ path: String, json: JSONValue? = nil, headers: [String: String] = [:]
    ) async throws(RemoteFailure) -> RemoteResponse {
        let authorization = token.map { ["Authorization": "Bearer " + $0] } ?? [:]
        return try await client.call(
            RemoteRequest(
                method: method, target: path, headers: headers.merging(authorization) { own, _ in own },
                body: json.map { Array($0.description.utf8) } ?? [],
                contentType: json == nil ? nil : "application/json", isIdempotent: false))
    }

    /// Creates a session and returns its path, such as `/sessions/5q3S…`.
    ///
    /// - Parameter store: the kind of store; nil for the default of the server.
    /// - Throws: `bad-status` if the server refuses.
    public func createSession(_ store: String? = nil) async throws(RemoteFailure) -> String {
        let response = try await send("POST", "/sessions", json: store.map { ["store": .string($0)] })
        return "/sessions/" + (try response.text(at: "id"))
    }

    /// Sends an action to a session and returns the answer, whatever its status.
    ///
    /// - Parameters:
    ///   - action: the action, such as `["type": "hall/clear"]`, or an array of them.
    ///   - session: the path of the session.
    ///   - waitsForEffects: whether the answer comes after the effects of the action have ended, with the state of then.
    /// - Throws: `RemoteFailure` if no complete answer arrives.
    public func dispatch(
        _ action: JSONValue, to session: String, waitingForEffects waitsForEffects: Bool = false
    ) async throws(RemoteFailure) -> RemoteResponse {
        try await send(
            "POST", session + "/actions", json: action, headers: waitsForEffects ? ["Prefer": "wait=60"] : [:])
    }
}

/// The demo of a service, called without a socket.
private struct DemoClient: RemoteClient {
    let answer: RemoteService.Demo

    func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse { answer(request) }
}
