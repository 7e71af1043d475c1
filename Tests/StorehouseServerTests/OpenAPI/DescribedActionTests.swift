import JSON
import Testing

/// The described request bodies are the actions that clients may dispatch.
@Suite struct DescribedActionTests {
    @Test func bodiesAreTheActionsForClients() async throws {
        try await TestAPI.run { api in
            let document = try await DescribedAPI(of: api)
            let stores = try await api.get("/stores").json["stores"]?.asArray ?? []
            let actions = stores.flatMap { $0["actions"]?.asArray ?? [] }
            let client = actions.filter { $0["audience"] == "client" }.compactMap { $0["example"] }
            let bodies = try #require(try document.bodies(of: document.operation("dispatch")))
            #expect(Set(bodies.filter { $0.asArray == nil }) == Set(client))
            let action: JSONValue = ["$ref": "#/components/schemas/DispatchRequest"]
            for described in actions {
                let example = try #require(described["example"])
                let complaints = SchemaCheck(api: document).complaints(about: example, action)
                #expect(complaints.isEmpty == (described["audience"] == "client"), "\(example)")
            }
        }
    }

    @Test func theBatchIsCommitted() async throws {
        try await TestAPI.run { api in
            let document = try await DescribedAPI(of: api)
            let bodies = try #require(try document.bodies(of: document.operation("dispatch")))
            let batch = try #require(bodies.first { $0.asArray != nil })
            let response = try await api.session().post(batch)
            #expect(response.status == 200)
            #expect(response.revision == batch.asArray?.count)
        }
    }
}
