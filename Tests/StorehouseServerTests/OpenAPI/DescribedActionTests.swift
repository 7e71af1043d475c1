import JSON
import Testing

/// The described request bodies are the actions that clients may dispatch.
@Suite struct DescribedActionTests {
    @Test func bodiesAreTheActionsForClients() async throws {
        try await LiveServer.run { server in
            let api = try await DescribedAPI(of: server)
            let stores = try await server.get("/stores").json["stores"]?.asArray ?? []
            let actions = stores.flatMap { $0["actions"]?.asArray ?? [] }
            let client = actions.filter { $0["audience"] == "client" }.compactMap { $0["example"] }
            let bodies = try #require(try api.bodies(of: api.operation("dispatch")))
            #expect(Set(bodies.filter { $0.asArray == nil }) == Set(client))
            let action: JSONValue = ["$ref": "#/components/schemas/DispatchRequest"]
            for described in actions {
                let example = try #require(described["example"])
                let complaints = SchemaCheck(api: api).complaints(about: example, action)
                #expect(complaints.isEmpty == (described["audience"] == "client"), "\(example)")
            }
        }
    }

    @Test func theBatchIsCommitted() async throws {
        try await LiveServer.run { server in
            let api = try await DescribedAPI(of: server)
            let bodies = try #require(try api.bodies(of: api.operation("dispatch")))
            let batch = try #require(bodies.first { $0.asArray != nil })
            let response = try await server.session().post(batch)
            #expect(response.status == 200)
            #expect(response.revision == batch.asArray?.count)
        }
    }
}
