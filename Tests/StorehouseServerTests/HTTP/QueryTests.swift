import HTTP
import JSON
import StorehouseServer
import Testing

/// Parameters of a query are applied, refused or ignored.
@Suite struct QueryTests {
    @Test(arguments: [
        "/actions?dryrun=true", "/actions?dry_run=true", "/actions?DryRun=true", "/actions?selct=/counter",
        "/actions?s%65lct=/counter", "/actions?x=1&dryrun=true",
    ])
    func aMisspelledParameterIsRefused(_ path: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await api.post(session.path + path, json: ["type": "counter/increment"])
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
            #expect(response[json: "detail"]?.asString?.contains("Did you mean") == true)
            #expect(try await session.read().revision == 0)
        }
    }

    @Test(arguments: [
        // A misspelled name.
        "/state?revison=0", "/state?Select=/counter", "/actions?limt=1", "/actions?afte=0", "/events?effect=true",
        "/events?presense=true", "/events?Signals=true", "/events?Ready=true", "/events?read=true",
        "/events?change=patch", "/events?colour=true", "/events?lasteventid=x", "/events?last-event-id=x",
        // A duplicate.
        "/state?select=/counter&select=/user", "/state?select=/counter&s%65lect=/counter",
        "/state?revision=0&revision=0",
        "/actions?limit=1&after=0&limit=2", "/events?effects=true&effects=false", "/state?select&select",
        "/events?ready=true&ready=true",
    ])
    func anAmbiguousQueryIsRefused(_ path: String) async throws {
        try await TestAPI.run { api in
            let response = try await api.session().read(path)
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
        }
    }

    @Test(arguments: [
        "/state?_=1732270000", "/state?utm_source=mail&select=/counter", "/state?x=1&x=2", "/state?&&", "/state?=",
        "/actions?t=1", "?select=/counter&select=/user", "?selct=1", "/state?dryRun=true",
    ])
    func unknownParametersAreIgnored(_ path: String) async throws {
        try await TestAPI.run { api in
            let response = try await api.session().read(path)
            #expect(response.status == 200)
        }
    }

    /// Values that each parameter cannot have, in each of its resources. A parameter without a value here can have any.
    private static let wrongValues: [String: [String]] = [
        "select": ["nothing", "counter/count", "/~2"],
        "revision": ["", "-1", "1.5", "one", "0x1", "+1", "%201"],
        "dryRun": ["", "1", "yes", "True", "null"],
        "effects": ["", "1", "yes", "True", "all"],
        "color": ["", "1", "always", "TRUE"],
        "changes": ["", "patches", "State", "none"],
        "heartbeat": ["", "comment", "false", "15", "events"],
        "limit": ["", "0", "-1", "1001", "ten", "1e2"],
        "before": ["", "-1", "one", "1.0"],
        "order": ["", "id", "Used", "used,id"],
        "type": [""],
        "origin": ["", "Client", "server", "client,system"],
        "actions": ["", "1", "yes", "True", "all"],
        "refused": ["", "1", "yes", "True", "all"],
        "presence": ["", "1", "yes", "True", "all"],
        "signals": ["", "1", "yes", "True", "all"],
        "ready": ["", "1", "yes", "True", "all"],
        "sync": ["", "true", "a-client-of-21-letter", "a-client+with/others==", String(repeating: "a", count: 65)],
    ]

    /// The start of a page is a revision or a cursor, as the list has it.
    private static let wrongStarts: [Route: [String]] = [
        .actions: ["", "-1", "one", "1.0"], .adminSessions: ["", "0", "s", "!"],
    ]

    @Test func aParameterWithAValueThatItCannotHaveIsRefused() async throws {
        let token = "the-admin-token-of-this-test"
        try await TestAPI.run(configuration: .with { $0.admin.token = .init(token) }) { api in
            let session = try await api.session()
            let share = try await session.share(["may": ["read", "act"]])
            var tried: Set<String> = []
            for route in Route.allCases {
                for method in [HTTPMethod.get, .head, .post] {
                    for name in route.parameters(of: method) {
                        var values = Self.wrongValues[name] ?? []
                        if name == "after" { values = Self.wrongStarts[route] ?? [] }
                        if name == "mark" { values = ["", "35c5700", "35c5700g", "35c5700b0"] }
                        // There is no list without tokens.
                        if route == .sessions, method != .post { continue }
                        let path = route.path.replacing("/sessions/{id}", with: session.path)
                            .replacing("/shared/{share}", with: share.path)
                        for value in values {
                            let (target, field) = ("\(path)?\(name)=\(value)", [("Authorization", "Bearer " + token)])
                            let refused = try await api.send(
                                method == .post
                                    ? TestRequest("POST", target, field, json: ["type": "counter/increment"])
                                    : TestRequest(method.description, target, field))
                            #expect(refused.status == 400, "\(method.description) \(path)?\(name)=\(value)")
                            tried.insert(name)
                        }
                    }
                }
            }
            #expect(tried.isSuperset(of: Self.wrongValues.keys) && tried.contains("after") && tried.contains("mark"))
            #expect(try await session.revision() == 0)
        }
    }

    @Test func aParameterThatTheServerCannotServeIsRefused() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let share = try await session.share()
            // A client that sends it would otherwise have its entries committed.
            let refused = try await api.post(session.path + "/sync?dryRun=true", json: [:])
            #expect(refused.status == 400 && refused.code == "malformed-request")
            #expect(refused[json: "detail"]?.asString?.contains("leave it out") == true)
            // A share shows no effects and no actions.
            for name in ["effects", "actions"] {
                for value in ["true", "false", "all", ""] {
                    let refused = try await api.get("\(share.path)/events?\(name)=\(value)")
                    #expect(refused.status == 400 && refused.code == "malformed-request", "\(name)=\(value)")
                    #expect(refused[json: "detail"]?.asString?.contains("A share shows no \(name)") == true)
                }
            }
            // Elsewhere they are names as any other.
            #expect(try await session.read("/state?order=used").status == 200)
        }
    }

    /// The server uses one list; the OpenAPI document contains the other.
    @Test func theParametersAreThoseOfTheDocument() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            var count = 0
            for operation in described.operations {
                let parameters = (operation.json["parameters"]?.asArray ?? []).compactMap(described.resolved)
                let described = parameters.filter { $0["in"] == "query" }.compactMap { $0["name"]?.asString }
                let route = try #require(Route.allCases.first { $0.path == operation.path })
                let method = HTTPMethod(operation.method)
                #expect(
                    route.parameters(of: method).sorted() == described.sorted(), "\(operation.method) \(route.path)")
                count += described.count
            }
            #expect(count > 10)
        }
    }
}
