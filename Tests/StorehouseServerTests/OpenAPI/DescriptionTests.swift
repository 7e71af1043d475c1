import JSON
import StorehouseServer
import Testing

/// The links, the stores, and the health of the server.
@Suite struct DescriptionTests {
    @Test func theIndexLinksToAllResources() async throws {
        try await TestAPI.run { api in
            let response = try await api.get("/")
            #expect(response["content-type"] == "application/json")
            let links = try #require(response[json: "links"]?.asObject)
            #expect(links["stores"] == "/stores")
            #expect(links["sessions"] == "/sessions")
            for (_, link) in links where link != "/sessions" {
                #expect(try await api.get(link.asString ?? "").status == 200)
            }
        }
    }

    @Test func livenessAndReadinessDiffer() async throws {
        try await TestAPI.run { api in
            for path in ["/healthz", "/readyz"] {
                let response = try await api.get(path)
                #expect(response.status == 200)
                #expect(response["content-type"] == "application/json")
            }
        }
    }

    @Test func theDescriptionForToolsIsJSON() async throws {
        try await TestAPI.run { api in
            let response = try await api.get("/openapi.json")
            #expect(response.status == 200)
            #expect(response["content-type"] == "application/json")
            #expect(response.json.asObject != nil)
        }
    }

    /// So that a terminal shows its prompt on a line of its own.
    @Test func everyJSONBodyEndsWithANewline() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            var responses = [try await api.send(session.request("counter/increment"))]
            for path in ["/", "/stores", "/openapi.json", "/healthz", "/readyz", "/nothing", "/sessions/nobody"] {
                responses.append(try await api.get(path))
            }
            for path in ["", "/state", "/state?select=/counter", "/state?revision=0", "/state?revision=9", "/actions"] {
                responses.append(try await session.read(path))
            }
            for response in responses {
                #expect(response["content-type"]?.hasSuffix("json") == true)
                #expect(response["content-length"] == "\(response.body.count)")
                #expect(response.text.hasSuffix("}\n"), "\(response.text)")
            }
        }
    }

    @Test func everyKindIsListedWithItsActions() async throws {
        try await TestAPI.run { api in
            let stores = try #require(try await api.get("/stores")[json: "stores"]?.asArray)
            #expect(
                Set(stores.compactMap { $0["name"]?.asString })
                    == ["app", "login", "login-form", "animal", "betting", "planner"])
            for store in stores {
                #expect(
                    store.asObject?.names == [
                        "name", "summary", "initialState", "version", "state", "selectors", "actions",
                    ])
                let session = try await api.session(store["name"]?.asString ?? "")
                #expect(store["initialState"] == (try await session.state()))
                #expect(store["state"]?["required"]?.asArray?.count == store["initialState"]?.asObject?.count)
                for selector in store["selectors"]?.asArray ?? [] {
                    let name = try #require(selector["name"]?.asString)
                    #expect(try await session.read("/state?select=\(name)")[json: "state"]?.isNull == false)
                }
                for action in store["actions"]?.asArray ?? [] {
                    let names = action.asObject?.names.filter { $0 != "reasons" }
                    #expect(names == ["type", "summary", "audience", "payload", "example"])
                    #expect(action["payload"]?["type"] == "object")
                }
            }
        }
    }

    @Test func eachKindHasADocumentOfItsOwn() async throws {
        try await TestAPI.run { api in
            let stores = try #require(try await api.get("/stores")[json: "stores"]?.asArray)
            for store in stores {
                let one = try await api.get("/stores/\(store["name"]?.asString ?? "")")
                #expect(one.status == 200 && one.json == store && one.text.hasSuffix("}\n"))
                #expect(one[json: "version"]?.asString?.wholeMatch(of: /1\.[0-9a-z]{1,7}/) != nil)
            }
            #expect(Set(stores.compactMap { $0["version"]?.asString }).count == stores.count)
            for name in ["shop", "App", "app%20", "login%2Dform%20", "%E2%84%AAind"] {
                let none = try await api.get("/stores/" + name)
                #expect(none.status == 404 && none.code == "no-such-store", "\(name)")
                #expect(none[json: "detail"]?.asString?.contains("login-form") == true)
            }
        }
    }

    /// As the contract of the hosted kinds has them.
    @Test(arguments: [
        ("app", "counter/increment", ["overflow"]), ("betting", "user/balanceIncrease", ["limit-exceeded"]),
        ("app", "betslip/addSelection", ["duplicate-selection", "betslip-full"]),
        ("betting", "betslip/placeBet", ["empty-betslip", "missing-stake", "insufficient-balance"]),
        ("login", "login/enteringCredential", ["authenticating", "already-authenticated"]),
        (
            "app", "login/authenticate",
            ["authenticating", "already-authenticated", "error-not-acknowledged", "invalid-credentials-format"]
        ), ("planner", "tasks/move", ["no-such-task"]), ("login-form", "form/set", ["busy", "already-authenticated"]),
        ("animal", "animal/fetchAnimal", nil), ("login", "login/failed", nil),
    ])
    func theReasonsOfTheHostedKinds(_ store: String, _ type: String, _ reasons: [String]?) async throws {
        try await TestAPI.run { api in
            let actions = try await api.get("/stores/" + store)[json: "actions"]?.asArray ?? []
            let action = try #require(actions.first { $0["type"] == .string(type) })
            #expect(action["reasons"] == reasons.map { .array($0.map(JSONValue.string)) })
        }
    }

    @Test(arguments: ["app", "login", "login-form", "animal", "betting", "planner"])
    func everyExampleCanBePosted(_ store: String) async throws {
        try await TestAPI.run { api in
            let stores = try #require(try await api.get("/stores")[json: "stores"]?.asArray)
            let kind = try #require(stores.first { $0["name"] == .string(store) })
            let session = try await api.session(store)
            for action in kind["actions"]?.asArray ?? [] {
                let response = try await session.post(try #require(action["example"]))
                if action["audience"] == "internal" {
                    #expect(response.code == "internal-action")
                } else {
                    #expect([200, 409].contains(response.status), "\(action)")
                }
            }
        }
    }
}
