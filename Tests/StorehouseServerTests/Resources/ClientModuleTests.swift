import StoreHosting
import StorehouseServer
import Testing

/// `/client.js` is the client for browsers.
@Suite("The client module") struct ClientModuleTests {
    @Test("is asked for again at its own name, and kept for ever at the name with its hash")
    func names() async throws {
        try await TestAPI.run { api in
            let current = try await api.get("/client.js")
            #expect(current.status == 200 && current["content-type"] == "text/javascript; charset=utf-8")
            #expect(current["cache-control"] == "no-cache" && current["x-content-type-options"] == "nosniff")
            #expect(current["access-control-allow-origin"] == "*")
            #expect(current["cross-origin-resource-policy"] == "cross-origin")
            #expect(Array(current.body) == Array(try ProjectFile.contents(of: "Clients/javascript/storehouse.js")))
            let hash = SHA256.hash(current.body).prefix(8).map {
                String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
            }
            let path = "/client-\(hash.joined()).js"
            #expect(current["content-location"] == path)
            let lasting = try await api.get(path)
            #expect(lasting.body == current.body && lasting["etag"] == current["etag"])
            #expect(lasting["cache-control"] == "public, max-age=31536000, immutable")
            for path in ["/client.js", path] {
                let unchanged = try await api.get(path, [("If-None-Match", try #require(current["etag"]))])
                #expect(unchanged.status == 304 && unchanged.body.isEmpty)
                #expect(try await api.send(TestRequest("HEAD", path))["etag"] == current["etag"])
                #expect(try await api.send(TestRequest("POST", path, json: [:])).status == 405)
            }
            #expect(try await api.get("/client-0123456789abcdef.js").code == "no-such-resource")
        }
    }

    @Test("is for pages of every origin, whichever may use the sessions")
    func origins() async throws {
        let configuration = TestTokens.configuration { $0.http.allowedOrigins = ["https://known.example"] }
        try await TestAPI.run(configuration: configuration) { api in
            for origin in ["https://known.example", "https://other.example"] {
                let answer = try await api.get("/client.js", [("Origin", origin)])
                #expect(answer.status == 200 && answer.values("access-control-allow-origin") == ["*"])
                #expect(answer["vary"] == nil)
            }
        }
    }

    @Test("has the base path in its links")
    func basePath() async throws {
        try await TestAPI.run(configuration: .with { $0.http.basePath = "/store" }) { api in
            let path = try #require(try await api.get("/store/client.js")["content-location"])
            #expect(path.hasPrefix("/store/client-"))
            #expect(try await api.get(path).status == 200)
            let index = try await api.get("/store/", [("Accept", "application/json")])
            #expect(index.at("/links/client") == "/store/client.js")
        }
    }

    @Test("can be switched off")
    func off() async throws {
        let configuration = Configuration.with { $0.clients.javascript = false }
        try await TestAPI.run(configuration: configuration) { (api: TestAPI) async throws -> Void in
            #expect(try await api.get("/client.js").code == "no-such-resource")
            #expect(try await api.get("/", [("Accept", "application/json")]).at("/links/client") == nil)
            #expect(try await api.get("/openapi.json").at("/paths/~1client.js") == nil)
        }
    }
}
