import HTTP
import Journal
import Observability
import RemoteServices
import Sessions
import StoreHosting
import StoreKinds
import StorehouseServer
import Stores
import StoresTesting

/// The API of a server in memory, for as long as a test runs: no listener, no socket, and no thread.
struct TestAPI: TestServing {
    let api: InMemoryAPI
    let log: LogLines

    /// All tests start at once, and those that wait for remote calls would otherwise keep the memory of hundreds of APIs.
    private static let gate = Gate(places: 32)

    /// Answers while `body` runs, then closes the journal, whatever came of it.
    ///
    /// - Parameters:
    ///   - animal, auth: the remote services; without one, calls are held for ever.
    ///   - journal: where sessions rest; in memory where nil.
    ///   - kinds: what is hosted; all kinds of the project where nil.
    static func run<Result: Sendable>(
        animal: any RemoteClient = ScriptedRemoteClient(), auth: any RemoteClient = ScriptedRemoteClient(),
        kinds: [StoreKind]? = nil, clock: WallClock = WallClock(), configuration: Configuration = .with(),
        journal: (any Journal)? = nil, sealer: (any SecretSealer)? = nil, keySet: (any RemoteClient)? = nil,
        logging level: LogLevel = .debug, memory: MemoryLimit? = nil, _ body: (TestAPI) async throws -> Result
    ) async throws -> Result {
        try await gate.pass {
            let clients = RemoteClients(["animal": animal, "auth": auth])
            let log = LogLines()
            let api = try StorehouseServer(
                kinds: kinds ?? StoreKind.all.map { $0.connected(to: clients) }, configuration: configuration,
                journal: journal ?? MemoryJournal(keepCommits: configuration.storage.keepCommits), sealer: sealer,
                keySet: keySet
            )
            .inMemory(
                clock: clock, log: Log(level: level, format: configuration.log.format, sink: log), memory: memory)
            do {
                let result = try await body(TestAPI(api: api, log: log))
                await api.close()
                return result
            } catch {
                await api.close()
                throw error
            }
        }
    }

    func client(receiveBuffer: Int32?) throws -> TestClient {
        precondition(receiveBuffer == nil, "the system keeps no bytes of a client in memory")
        return TestClient(MemoryConnection(to: api))
    }
}
