import JSON
import Journal
import Locks
import Observability
import RemoteServices
import Sessions
import Sockets
import StoreHosting
import StoreKinds
import StorehouseServer
import Stores
import StoresTesting

/// The real server on a free port, for as long as a test runs.
struct LiveServer: Sendable {
    let running: RunningServer
    let log: LogLines

    var port: Int { running.port }

    /// All tests start at once, and a machine that runs hundreds of servers does nothing in time.
    private static let gate = Gate(places: 8)

    /// Serves while `body` runs, then drains, whatever came of it.
    ///
    /// - Parameters:
    ///   - animal, auth: the remote services; without one, calls are held for ever.
    ///   - journal: where sessions rest; in memory where nil.
    ///   - kinds: what is hosted; all kinds of the project where nil.
    static func run<Result: Sendable>(
        animal: any RemoteClient = ScriptedRemoteClient(), auth: any RemoteClient = ScriptedRemoteClient(),
        kinds: [StoreKind]? = nil, clock: WallClock = WallClock(),
        loops: LoopImplementation = .preferred,
        configuration: Configuration = .with(), journal: (any Journal)? = nil, sealer: (any SecretSealer)? = nil,
        keySet: (any RemoteClient)? = nil, logging level: LogLevel = .debug, memory: MemoryLimit? = nil,
        _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        try await gate.pass {
            let clients = RemoteClients(["animal": animal, "auth": auth])
            let log = LogLines()
            let running = try StorehouseServer(
                kinds: kinds ?? StoreKind.all.map { $0.connected(to: clients) }, configuration: configuration,
                journal: journal ?? MemoryJournal(keepCommits: configuration.storage.keepCommits), sealer: sealer,
                keySet: keySet
            )
            .start(
                clock: clock, log: Log(level: level, format: configuration.log.format, sink: log), loops: loops,
                memory: memory)
            let server = LiveServer(running: running, log: log)
            do {
                let result = try await body(server)
                await running.drain()
                return result
            } catch {
                await running.drain()
                throw error
            }
        }
    }

    func client(receiveBuffer: Int32? = nil) throws -> TestClient {
        try TestClient(port: port, receiveBuffer: receiveBuffer)
    }

    /// Sends a request on a connection of its own, which must end after the answer.
    func send(_ request: TestRequest) async throws -> TestResponse {
        let client = try client()
        let response = try await client.exchange(request.with("Connection", "close"))
        guard response["connection"] == "close", try await client.rest().isEmpty else {
            throw Wire.Failure.malformed("something behind the answer")
        }
        return response
    }

    func get(_ path: String, _ fields: [(String, String)] = []) async throws -> TestResponse {
        try await send(TestRequest("GET", path, fields))
    }

    func post(_ path: String, _ fields: [(String, String)] = [], json: JSONValue) async throws -> TestResponse {
        try await send(TestRequest("POST", path, fields, json: json))
    }

    func delete(_ path: String) async throws -> TestResponse { try await send(TestRequest("DELETE", path)) }

    func session(_ store: String = "app") async throws -> LiveSession {
        let response = try await post("/sessions", json: ["store": .string(store)])
        guard response.status == 201, let path = response["location"] else {
            throw Wire.Failure.malformed("no session but \(response.status)")
        }
        return LiveSession(server: self, path: path)
    }

    /// Asks again until the answer is as it should be; gives up in the end.
    func eventually(
        _ request: TestRequest, _ isAsItShould: (TestResponse) -> Bool
    ) async throws -> TestResponse {
        let limit = ContinuousClock.now + .seconds(Wire.patience)
        let client = try client()
        while true {
            let response = try await client.exchange(request)
            if isAsItShould(response) { return response }
            guard ContinuousClock.now < limit else { throw Wire.Failure.tookTooLong }
            try await takeBreath()
        }
    }
}

extension Configuration {
    /// A configuration for tests on a free port, with some values changed.
    ///
    /// No test should meet the end of a time that it has not set itself, however slow the machine is.
    static func with(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        var configuration = Configuration()
        configuration.http.port = 0
        configuration.http.threads = 2
        configuration.http.headerTimeout = .seconds(3600)
        configuration.http.bodyTimeout = .seconds(3600)
        configuration.http.minBodyRate = 0
        configuration.http.idleTimeout = .seconds(3600)
        configuration.http.maxWait = .seconds(3600)
        configuration.http.drainTimeout = .seconds(Wire.patience)
        configuration.streams.heartbeat = .seconds(3600)
        configuration.cluster.lease = .seconds(60)
        change(&configuration)
        return configuration
    }
}
