import JSON
import Observability
import StorehouseServer
import Testing

/// `metrics.port`: a listener of its own for `/metrics` and `/admin`.
@Suite struct OperatorPortTests {
    private static let token: [(String, String)] = [("Authorization", "Bearer a-token-of-a-test")]

    /// Another process may take the port meanwhile, so some are tried.
    private static func run(_ body: (LiveServer) async throws -> Void) async throws {
        for attempt in 1... {
            let port = try TestCluster.freePort()
            let configuration = Configuration.with {
                $0.metrics.port = port
                $0.admin.token = Secret("a-token-of-a-test")
            }
            do {
                return try await LiveServer.run(configuration: configuration, body)
            } catch {
                guard TestCluster.isTakenPort(error), attempt < 10 else { throw error }
            }
        }
    }

    private static func get(
        _ path: String, of server: LiveServer, _ fields: [(String, String)] = []
    ) async throws -> TestResponse {
        try await TestClient(port: server.running.operatorPort).exchange(TestRequest("GET", path, fields))
    }

    @Test func theOperatorsPortHasMetricsAndAdministrationOnly() async throws {
        try await Self.run { server in
            #expect(server.running.operatorPort != server.port)
            let session = try await server.session()
            let samples = try Exposition(try await Self.get("/metrics", of: server)).samples
            #expect(samples["storehouse_sessions"] == 1)
            #expect(try await Self.get("/admin/sessions", of: server).code == "unauthorized")
            let page = try await Self.get("/admin/sessions", of: server, Self.token)
            #expect(page.json["sessions"]?.asArray?.count == 1)
            for path in [
                "/", "/healthz", "/readyz", "/stores", "/openapi.json", session.path, session.path + "/events",
            ] {
                #expect(try await Self.get(path, of: server).code == "no-such-resource", "\(path)")
            }
            let options = try await TestClient(port: server.running.operatorPort)
                .exchange(TestRequest("OPTIONS", "/metrics"))
            #expect(options["allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test func theOtherPortHasNeitherThen() async throws {
        try await Self.run { server in
            for path in ["/metrics", "/admin/sessions"] {
                #expect(try await server.get(path, Self.token).code == "no-such-resource")
            }
            #expect(try await server.get("/").at("/links/metrics") == nil)
            #expect(try await server.get("/").at("/links/stores") == "/stores")
            let paths = try await server.get("/openapi.json").json["paths"]?.asObject ?? [:]
            #expect(paths["/sessions"] != nil)
            #expect(paths["/metrics"] == nil)
            #expect(paths["/admin/sessions"] == nil)
            let port = server.running.operatorPort
            try await server.log.line(with: "metrics and administration on http://127.0.0.1:\(port)")
            // The requests of both are in the same metrics.
            let samples = try Exposition(try await Self.get("/metrics", of: server)).samples
            let name = #"storehouse_http_request_duration_seconds_count{route="other",method="GET",status="4xx"}"#
            #expect(samples[name] == 2)
        }
    }

    @Test func withoutAPortOfTheirOwnBothAreOnTheOther() async throws {
        try await LiveServer.run { server async throws in
            #expect(server.running.operatorPort == server.port)
            #expect(try await server.get("/metrics").status == 200)
            #expect(try await server.get("/").at("/links/metrics") == "/metrics")
        }
    }

    @Test func onePortForBothIsRefused() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(file: Array(#"{"http":{"port":9000},"metrics":{"port":9000}}"#.utf8))
        }
        #expect(error?.description == "metrics.port: is http.port too; set another, or 0 for one port")
        #expect(throws: Never.self) {
            try Configuration(file: Array(#"{"http":{"port":0},"metrics":{"port":0}}"#.utf8))
        }
    }

    @Test func aPortThatIsTakenIsNamedByItsKey() async throws {
        try await LiveServer.run { server in
            let configuration = Configuration.with { $0.metrics.port = server.port }
            let error = await #expect(throws: (any Error).self) {
                try await LiveServer.run(configuration: configuration) { _ in }
            }
            #expect(
                "\(error.map { "\($0)" } ?? "")".hasPrefix(
                    "cannot listen on 127.0.0.1:\(server.port): Address already in use; "))
            #expect("\(error.map { "\($0)" } ?? "")".hasSuffix("or set another metrics.port"))
        }
    }
}
