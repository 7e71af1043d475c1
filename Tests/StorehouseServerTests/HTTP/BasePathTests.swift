import CommandLine
import JSON
import StoreHosting
import StoreKinds
import StorehouseServer
import Testing

/// A server below a path, as behind a proxy that shares its host with others.
@Suite struct BasePathTests {
    private static let configuration = Configuration.with {
        $0.http.basePath = "/apps/store.house"
        $0.admin.token = .init("a-token-of-some-length")
    }
    private static let base = configuration.http.basePath

    @Test func everyPathIsBelowIt() async throws {
        try await TestAPI.run(configuration: Self.configuration) { api in
            for path in ["/stores", "/openapi.json", "/healthz", "/readyz", "/metrics", "/"] {
                #expect(try await api.get(Self.base + path).status == 200)
                let outside = try await api.get(path)
                #expect(outside.code == "no-such-resource")
                #expect(outside[json: "detail"]?.asString?.contains(Self.base) == true)
            }
            let others = [
                "/apps", "/apps/", "/apps/store.house2/stores", "/apps/store.housestores", "//apps/store.house/",
            ]
            for path in others {
                #expect(try await api.get(path).code == "no-such-resource")
            }
            #expect(try await api.send(TestRequest("OPTIONS", "*")).status == 204)
            #expect(try await api.get("/apps/store%2Ehouse/stores").status == 200)
        }
    }

    @Test func everyPathThatIsWrittenBeginsWithIt() async throws {
        try await TestAPI.run(configuration: Self.configuration) { api in
            let created = try await api.post(Self.base + "/sessions", json: ["store": "app"])
            let path = try #require(created["location"])
            #expect(path == Self.base + "/sessions/" + (created[json: "id"]?.asString ?? ""))
            let session = LiveSession(server: api, path: path)
            for _ in 0..<3 { #expect(try await session.increment().status == 200) }
            var links = created[json: "links"]?.asObject ?? [:]
            #expect(links.count == 9)
            for (name, link) in try await api.get(Self.base + "/")[json: "links"]?.asObject ?? [:] {
                links[name] = link
            }
            for fields in [[("Authorization", "Bearer a-token-of-some-length")]] {
                let list = try await api.get(Self.base + "/admin/sessions", fields)
                links["listed"] = list.at("/sessions/0/links/self")
            }
            links["fork"] = try await session.post([:]).status == 422 ? links["self"] : nil
            #expect(links.count > 10)
            for (name, link) in links { #expect(link.asString?.hasPrefix(Self.base + "/") == true, "\(name)") }
            let page = try await session.read("/actions?limit=2")
            let next = try #require(page["link"]?.wholeMatch(of: /<(.*)>; rel="next"/)).1
            #expect(next == "\(path)/actions?limit=2&after=2")
            #expect(try await api.get(String(next)).at("/actions/0/revision") == 3)
            let fork = try await api.post(path + "/forks", json: [:])
            #expect(fork["location"]?.hasPrefix(Self.base + "/sessions/") == true)
            #expect(try await session.events().state().revision == 3)
        }
    }

    @Test func theDescriptionNamesIt() async throws {
        try await TestAPI.run(configuration: Self.configuration) { api in
            let description = try await api.get(Self.base + "/openapi.json")
            #expect(description.at("/servers/0/url") == .string(Self.base))
            #expect(description.at("/paths/~1sessions/post") != nil)
        }
    }

    /// The page links relatively, so it must be read at a path that ends with a slash.
    @Test func theInspectorIsBelowIt() async throws {
        try await TestAPI.run(configuration: Self.configuration) { api in
            let redirect = try await api.get(Self.base, [("Accept", "text/html")])
            #expect(redirect.status == 308 && redirect["location"] == Self.base + "/")
            let page = try await api.get(Self.base + "/", [("Accept", "text/html")])
            #expect(page["content-type"]?.hasPrefix("text/html") == true)
            for link in page.text.matches(of: /href="([^"]*)"/).map(\.1) where !link.hasPrefix("data:") {
                #expect(!link.hasPrefix("/"))
            }
        }
    }

    @Test func commandsUseIt() async throws {
        try await LiveServer.run(configuration: Self.configuration) { server in
            #expect(server.running.url.hasSuffix(Self.base))
            var http = Self.configuration.http
            http.port = server.port
            #expect(http.localURL == server.running.url)
            let session = try await server.post(Self.base + "/sessions", json: [:])
            let url = "http://127.0.0.1:\(server.port)" + (session["location"] ?? "")
            let terminal = ClientTerminal(inColor: false, print: { _ in true })
            let sent = try await SendCommand(SessionURL(url), "counter/increment").run(terminal)
            #expect(sent == 0)
            #expect(try await server.get((session["location"] ?? "") + "/state").revision == 1)
        }
    }

    @Test(arguments: ["", "/a", "/a/b-c_d.e~f", "/A1/..."])
    func validBasePaths(_ path: String) throws {
        let configuration = try Configuration.load(file: nil, environment: ["STOREHOUSE_HTTP_BASE_PATH": path])
        #expect(configuration.http.basePath == path)
    }

    @Test(arguments: [
        "/", "a", "/a/", "a/b", "//a", "/a//b", "/a b", "/ä", "/%41", "/a?b", "/..", "/a/./b", "http://a",
    ])
    func otherTextsAreRefused(_ path: String) throws {
        #expect(throws: ConfigurationError.self) {
            try Configuration.load(file: nil, environment: ["STOREHOUSE_HTTP_BASE_PATH": path])
        }
        // A program may set what no file could have.
        #expect(throws: ConfigurationError.self) {
            try StorehouseServer(kinds: [Planner.store.kind], configuration: .with { $0.http.basePath = path })
        }
    }
}
