import JSON
import StorehouseServer
import Testing

/// The list of sessions for operators.
@Suite struct AdminTests {
    private static let token = "a-token-of-some-length"

    private static func run(_ body: (LiveServer) async throws -> Void) async throws {
        try await LiveServer.run(configuration: .with { $0.admin.token = .init(token) }, body)
    }

    private static func list(_ server: LiveServer, _ query: String = "") async throws -> TestResponse {
        try await server.get("/admin/sessions" + query, [("Authorization", "bearer \(token)")])
    }

    @Test func allSessionsAreListedPageByPage() async throws {
        try await Self.run { server in
            #expect(try await Self.list(server).json == ["sessions": [], "next": nil])
            var ids: [String] = []
            for store in ["app", "login", "planner", "animal", "betting"] {
                let session = try await server.session(store)
                ids.append(String(session.path.dropFirst("/sessions/".count)))
            }
            ids.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            var (found, after): ([String], String?) = ([], nil)
            repeat {
                let page = try await Self.list(server, "?limit=2" + (after.map { "&after=\($0)" } ?? ""))
                #expect(page.status == 200)
                #expect(page["cache-control"] == "no-store")
                found += page[json: "sessions"]?.asArray?.compactMap { $0["id"]?.asString } ?? []
                after = page[json: "next"]?.asString
                // A cursor gives no right to use a session.
                #expect(after.map(ids.contains) != true)
            } while after != nil && found.count < 100
            #expect(found == ids)
            let document = try await Self.list(server, "?limit=1").at("/sessions/0")
            #expect(document?["revision"] == 0)
            #expect(document?["links"]?["self"]?.asString == "/sessions/\(ids[0])")
        }
    }

    @Test(arguments: [nil, "", "Bearer", "Bearer ", "Bearer wrong", "Basic YTpi", "Bearer a-token-of-some-lengtH"])
    func listingRequiresTheAdminToken(_ authorization: String?) async throws {
        try await Self.run { server in
            let session = try await server.session()
            let fields = authorization.map { [("Authorization", $0)] } ?? []
            let response = try await server.get("/admin/sessions", fields)
            #expect(response.status == 401)
            #expect(response.code == "unauthorized")
            #expect(response["www-authenticate"]?.hasPrefix("Bearer") == true)
            #expect(!response.text.contains(session.path.dropFirst("/sessions/".count)))
        }
    }

    @Test(arguments: [["Bearer \(token)", "Bearer wrong"], ["Bearer wrong", "Bearer \(token)"]])
    func twoCredentialsAreRefused(_ values: [String]) async throws {
        try await Self.run { server in
            let response = try await server.get("/admin/sessions", values.map { ("Authorization", $0) })
            #expect(response.status == 401 && response.code == "unauthorized")
            #expect(response["www-authenticate"]?.hasPrefix("Bearer") == true)
        }
    }

    @Test(arguments: ["?after=nobody", "?limit=0", "?limit=1001", "?limit=x"])
    func invalidPagesAreRefused(_ query: String) async throws {
        try await Self.run { server in
            let response = try await Self.list(server, query)
            #expect(response.code == "malformed-request")
        }
    }

    @Test func withoutConfigurationATokenIsGeneratedAndLoggedOnce() async throws {
        try await LiveServer.run { server in
            let lines = server.log.text.split(separator: "\n").filter { $0.contains("admin token of this run: ") }
            #expect(lines.count == 1)
            let token = try #require(lines.first?.split(separator: " ").last)
            #expect(token.count == 44)
            let response = try await server.get("/admin/sessions", [("Authorization", "Bearer \(token)")])
            #expect(response.status == 200)
        }
    }

    @Test func logsInJSONDoNotHaveTheToken() async throws {
        try await LiveServer.run(configuration: .with { $0.log.format = .json }) { server in
            let token = server.running.adminToken
            let response = try await server.get("/admin/sessions", [("Authorization", "Bearer \(token)")])
            #expect(response.status == 200)
            #expect(server.log.text.contains("--print-admin-token"))
            #expect(!server.log.text.contains(token))
        }
    }
}
