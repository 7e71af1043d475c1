import JSON
import RemoteServices
import Sessions
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// The OpenAPI document describes everything that the server does.
@Suite struct OpenAPITests {
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    private static let routes = Route.allCases.filter { $0 != .server }

    @Test func describesEveryRoute() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            #expect(described.json["openapi"] == "3.1.0")
            #expect(described.paths == Self.routes.map(\.path))
        }
    }

    /// HEAD and OPTIONS are described by a sentence, because clients that are generated need no functions for them.
    @Test(arguments: routes)
    func theServerAllowsExactlyTheDescribedMethods(route: Route) async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api).methods(of: route.path)
            let path = try await api.session().located(route.path)
            let allowed = try await api.send(TestRequest("OPTIONS", path))
            #expect(allowed.status == 204)
            let methods = Set(allowed["allow"]?.split(separator: ", ").map(String.init) ?? [])
            #expect(methods.subtracting(["HEAD", "OPTIONS"]) == described)
            for method in Self.methods where !methods.contains(method) {
                let response = try await api.send(TestRequest(method, path))
                #expect(response.status == 405, "\(method) \(path)")
                #expect(response["allow"] == allowed["allow"])
            }
        }
    }

    @Test(arguments: routes.filter { $0 != .events && $0 != .sharedEvents && $0 != .adminEvents })
    func theServerRespondsAsDescribed(route: Route) async throws {
        let configuration = Configuration.with { $0.admin.token = .init(DescribedAPI.adminToken) }
        try await TestAPI.run(configuration: configuration) { api in
            let described = try await DescribedAPI(of: api)
            for operation in described.operations where operation.path == route.path {
                let path = try await api.session().located(route.path)
                for request in described.requests(operation, path) {
                    var request = request
                    // A session has one kind for ever.
                    if request.method == "PUT" { request.path = "/sessions/\(SessionID.random())" }
                    let response = try await api.send(request)
                    #expect(response.status < 300, "\(operation.method) \(path)")
                    #expect(described.complaints(about: response, to: operation) == [], "\(operation.method) \(path)")
                }
            }
        }
    }

    @Test func thePersonalSessionIsDescribedInTokenModeOnly() async throws {
        for (configuration, names) in [(Configuration.with(), ["id"]), (TestTokens.configuration(), ["id", "store"])] {
            try await TestAPI.run(configuration: configuration) { api in
                let described = try await DescribedAPI(of: api)
                for path in described.paths where path.hasPrefix("/sessions/{id}") {
                    let parameters = described.json["paths"]?[path]?["parameters"]?.asArray ?? []
                    let found = parameters.compactMap(described.resolved).compactMap { $0["name"]?.asString }
                    #expect(found == names + (path.contains("{shareId}") ? ["shareId"] : []), "\(path)")
                }
                #expect(described.references.filter { described.resolved(["$ref": .string($0)]) == nil } == [])
            }
        }
    }

    @Test func theProblemsOfSharesAreDescribed() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let session = try await api.session()
            let reader = try await session.share(["may": ["read"]])
            for (name, method, below) in [
                ("readSharedState", "GET", "/state"), ("watchShared", "GET", "/events"),
                ("dispatchShared", "POST", "/actions"),
            ] {
                let operation = try described.operation(name)
                #expect(operation.json["security"] == nil)
                for path in ["/shared/nothing", reader.path] {
                    let request = TestRequest(method, path + below + "?select=x", json: ["type": "counter/increment"])
                    let response = try await api.send(request)
                    #expect(response.status >= 400)
                    #expect(described.complaints(about: response, to: operation) == [], "\(name)")
                }
            }
        }
    }

    @Test func responsesWithoutABodyAreDescribed() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let session = try await api.session()
            let minimal = try await api.send(
                TestRequest(
                    "POST", session.path + "/actions", [("Prefer", "return=minimal")],
                    json: ["type": "counter/increment"]))
            #expect(minimal.status == 204)
            #expect(try described.complaints(about: minimal, to: described.operation("dispatch")) == [])
            let unchanged = try await session.read("/state", [("If-None-Match", "\"1\"")])
            #expect(unchanged.status == 304)
            #expect(try described.complaints(about: unchanged, to: described.operation("readState")) == [])
        }
    }

    @Test func theEventsAreDescribed() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let session = try await api.session()
            let operation = try described.operation("watch")
            let client = try api.client()
            try await client.send(TestRequest("GET", session.path + "/events").bytes)
            let stream = try await EventReader(client)
            let content = operation.json["responses"]?["200"]?["content"]?["text/event-stream"]
            let events = content?["schema"]?["x-events"]
            #expect(stream.head["content-type"] == "text/event-stream; charset=utf-8")
            let check = SchemaCheck(api: described)
            let state = try #require(try await stream.event())
            #expect(check.complaints(about: state.data, try #require(events?[state.name])) == [])
            #expect(try await api.delete(session.path).status == 204)
            let closed = try #require(try await stream.event())
            #expect(closed.name == "closed")
            #expect(check.complaints(about: closed.data, try #require(events?[closed.name])) == [])
            let ended = try await session.read("/events")
            #expect(ended.status == 204)
            #expect(described.complaints(about: ended, to: operation) == [])
        }
    }

    @Test func theEventsOfEffectsAreDescribed() async throws {
        let remote = ScriptedRemoteClient(always: .failure(RemoteFailure(.tooLarge, "")))
        try await TestAPI.run(animal: remote) { api in
            let described = try await DescribedAPI(of: api)
            let session = try await api.session("animal")
            let content = try described.operation("watch").json["responses"]?["200"]?["content"]?["text/event-stream"]
            let schema = try #require(content?["schema"]?["x-events"]?["effect"])
            let stream = try await session.events(query: "?effects=true")
            _ = try await session.dispatch("animal/fetchAnimal")
            var phases: [JSONValue?] = []
            while phases.count < 2, let event = try await stream.event() {
                guard event.name == "effect" else { continue }
                #expect(SchemaCheck(api: described).complaints(about: event.data, schema) == [])
                phases.append(event.data["phase"])
            }
            #expect(phases == ["started", "failed"])
        }
    }
}
