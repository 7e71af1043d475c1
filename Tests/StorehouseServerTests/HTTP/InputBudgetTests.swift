import JSON
import Locks
import Observability
import Sessions
import Sockets
import StorehouseServer
import StoresTesting
import Testing

/// Clients that do not finish their requests.
@Suite(.timeLimit(.minutes(15))) struct InputBudgetTests {
    private static let spaces = [UInt8](repeating: UInt8(ascii: " "), count: 60_000)

    /// Requests without their last bytes.
    enum Unfinished: String, CaseIterable, CustomTestStringConvertible {
        case body, chunks, trailers, head

        var testDescription: String { rawValue }

        var bytes: [UInt8] {
            let post = "POST /sessions HTTP/1.1\r\nHost: localhost\r\n"
            let fields = String(repeating: "a:\r\n", count: 4000)
            return switch self {
            case .body: Array((post + "Content-Length: 65000\r\n\r\n").utf8) + spaces
            case .chunks: Array((post + "Transfer-Encoding: chunked\r\n\r\nea60;a=b\r\n").utf8) + spaces
            case .trailers: Array((post + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + fields).utf8)
            case .head: Array(("GET / HTTP/1.1\r\nHost: localhost\r\n" + fields).utf8)
            }
        }
    }

    private static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        .with {
            $0.http.inputBudget = 1 << 20
            // Each loop cuts only the bytes beyond its own share, so the oldest of all clients is certain to be cut on one loop.
            $0.http.threads = 1
            $0.http.minBodyRate = 0
            change(&$0)
        }
    }

    private static func heldBytes(_ server: LiveServer, _ isAsItShould: (Int) -> Bool) async throws {
        _ = try await server.eventually(TestRequest("GET", "/metrics")) { metrics in
            let line = metrics.text.split(separator: "\n").first { $0.hasPrefix("storehouse_http_input_bytes ") }
            return line?.split(separator: " ").last.flatMap { Int($0) }.map(isAsItShould) ?? false
        }
    }

    /// The budget is enough for a few of them.
    @Test(arguments: LoopImplementation.allCases, Unfinished.allCases)
    func theOldestUnfinishedRequestsAreCut(_ loops: LoopImplementation, _ request: Unfinished) async throws {
        try await LiveServer.run(loops: loops, configuration: Self.configuration()) { server in
            let session = try await server.session()
            var clients = [try server.client()]
            try await clients[0].send(request.bytes)
            // The server has it, so it is older than all others.
            try await Self.heldBytes(server) { $0 > 10_000 }
            for _ in 0..<60 {
                let client = try server.client()
                try? await client.send(request.bytes)
                clients.append(client)
            }
            let refused = try await clients[0].response()
            #expect(refused.status == 503)
            #expect(refused.code == "overloaded")
            #expect(refused["retry-after"] == "1")
            #expect(refused["connection"] == "close")
            let name = request == .head ? "route=other" : "method=POST route=/sessions"
            try await server.log.line(with: "\(name) status=503 code=overloaded")
            // Whoever finishes is served.
            #expect(try await session.increment().status == 200)
            #expect(try await server.post("/sessions", json: ["store": "app"]).status == 201)
            try await Self.heldBytes(server) { (1...1 << 20).contains($0) }
            clients = []
            try await Self.heldBytes(server) { $0 == 0 }
        }
    }

    /// It may have changed something. What waits behind it has not.
    @Test func aRequestInProgressIsAnsweredWhenWhatWaitsBehindItIsCut() async throws {
        let remote = ScriptedRemoteClient()
        try await LiveServer.run(animal: remote, configuration: Self.configuration()) { server in
            var clients: [(session: LiveSession, client: TestClient)] = []
            for _ in 0..<60 {
                let session = try await server.session()
                let client = try server.client()
                let first = session.request("animal/fetchAnimal", fields: [("Prefer", "wait=3600")])
                try await client.send(first.bytes + Unfinished.body.bytes)
                clients.append((session, client))
            }
            await remote.called(times: 60)
            _ = try await server.eventually(TestRequest("GET", "/metrics")) {
                !$0.text.contains("storehouse_http_cut_requests_total 0\n")
            }
            try await Self.heldBytes(server) { $0 <= 1 << 20 }
            for _ in clients { remote.reply(#"{"animal":"Cat"}"#) }
            for (_, client) in clients {
                #expect(try await client.response().at("/state/animal/currentAnimal") == "Cat")
            }
        }
    }

    /// A large body stays in memory as long as its request waits for its effects.
    @Test func largeBodiesInProgressCountAndFurtherOnesAreRefused() async throws {
        let remote = ScriptedRemoteClient()
        try await LiveServer.run(
            animal: remote, configuration: Self.configuration()
        ) { server in
            let action = Array(#"{"type":"animal/fetchAnimal"}"#.utf8) + Self.spaces
            func request(_ session: LiveSession) -> TestRequest {
                TestRequest(
                    "POST", session.path + "/actions",
                    [("Content-Type", "application/json"), ("Prefer", "wait=3600")], body: action)
            }
            var waiting: [TestClient] = []
            for _ in 0..<18 {
                let client = try server.client()
                try await client.send(request(try await server.session()).bytes)
                waiting.append(client)
            }
            await remote.called(times: 18)
            try await Self.heldBytes(server) { $0 >= 1 << 20 }
            let session = try await server.session()
            let padded = TestRequest(
                "POST", session.path + "/actions", [("Content-Type", "application/json")],
                body: Array(#"{"type":"counter/increment"}"#.utf8) + Self.spaces)
            _ = try await server.eventually(padded) { $0.code == "overloaded" }
            // A small request needs no room.
            #expect(try await session.increment().status == 200)
            for _ in waiting { remote.reply(#"{"animal":"Cat"}"#) }
            for client in waiting { #expect(try await client.response().status == 200) }
            try await Self.heldBytes(server) { $0 == 0 }
            // A refusal closes its connection.
            while try await server.send(padded).status != 200 { try await takeBreath() }
        }
    }

    @Test func withoutMemoryOnlySmallRequestsMayArriveInParts() async throws {
        let limit = 1_000_000_000
        let resident = Locked(limit)
        let memory = MemoryLimit(.init(resident: limit, addressSpace: .max)) {
            .init(resident: resident.withLock { $0 }, addressSpace: 0)
        }
        try await LiveServer.run(memory: memory) { server in
            _ = try await server.eventually(TestRequest("POST", "/sessions")) { $0.status == 503 }
            for request in Unfinished.allCases {
                let client = try server.client()
                try? await client.send(request.bytes)
                let refused = try await client.response()
                #expect(refused.code == "overloaded")
                #expect(refused["connection"] == "close")
            }
            let small = try server.client()
            let head = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await small.send(byteByByte: Array(head.utf8))
            #expect(try await small.response().status == 200)
            resident.withLock { $0 = 100 }
            _ = try await server.eventually(TestRequest("POST", "/sessions")) { $0.status == 201 }
            // Its request is awaited now, and cut by nobody.
            let client = try server.client()
            try await client.send(Unfinished.body.bytes)
            try await Self.heldBytes(server) { $0 >= 60_000 }
            withExtendedLifetime(client) {}
        }
    }
}
