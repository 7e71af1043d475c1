import JSON
import StoreHosting
import StoreKinds
import StoresTesting
import Testing

/// The published schema of each kind's state, checked with the states that random actions reach.
@Suite struct StateSchemaTests {
    private static let names = ["app", "login", "login-form", "animal", "betting", "planner"]

    @Test(arguments: names, 1...3 as ClosedRange<UInt64>)
    func everyReachableStateIsValid(_ name: String, _ seed: UInt64) async throws {
        let client = ScriptedRemoteClient()
        let kind = try #require(StoreKind.scripted(client).first { $0.name == name })
        let store = kind.makeStore()
        defer { store.end() }
        var random = RandomActions(seed: seed)
        let types = kind.actions.filter { $0.audience == .client }.map(\.type)
        #expect(kind.stateSchema.validate(try JSONValue(parsing: kind.initialState)) == [])
        var states: Set<String> = []
        for _ in 1...200 {
            _ = await store.dispatch(random.next(of: types))
            // A failed call shows an error.
            if random.isOnce(in: 5) { client.reply(status: random.isOnce(in: 2) ? 200 : 401, #"{"animal":"Cat"}"#) }
            let json = store.json
            states.insert(json)
            #expect(kind.stateSchema.validate(try JSONValue(parsing: Array(json.utf8))) == [], "\(json)")
        }
        #expect(states.count > 1)
    }

    @Test func aStateWithAnErrorIsValid() throws {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == "animal" })
        let loading = StateSnapshot(
            json: Array(#"{"animal":{"currentAnimal":"Loading...","isLoading":true,"error":null}}"#.utf8),
            privateState: Array(#"{"animal":{"shownBefore":"Cat"}}"#.utf8))
        let store = try kind.makeStore(from: loading, revision: 1)
        // The interrupted call becomes a failure.
        store.resume()
        let state = try JSONValue(parsing: Array(store.json.utf8))
        #expect(state["animal"]?["error"]?["code"] == "interrupted")
        #expect(kind.stateSchema.validate(state) == [])
    }

    /// No member may be anything: then the schema would say nothing about it.
    @Test(arguments: names)
    func everyValueHasAType(_ name: String) throws {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == name })
        let schema = try JSONValue(parsing: kind.stateSchema.encoded())
        #expect(schema["type"] == "object")
        var untyped: [String] = []
        func visit(_ schema: JSONValue, _ place: String) {
            if schema["type"] == nil { untyped.append(place) }
            for (name, property) in schema["properties"]?.asObject ?? [:] { visit(property, "\(place)/\(name)") }
            for keyword in ["items", "additionalProperties"] {
                if let inner = schema[keyword], inner.asObject != nil { visit(inner, "\(place)/*") }
            }
        }
        visit(schema, "")
        #expect(untyped == [])
    }

    @Test func aListingHasTheSchema() throws {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == "planner" })
        var json = JSONWriter()
        kind.encode(into: &json)
        let state = try JSONValue(parsing: json.finish())["state"]
        #expect(state == (try JSONValue(parsing: kind.stateSchema.encoded())))
        #expect(state?["properties"]?["tasks"]?["required"] == ["entities", "ids", "favorited"])
        #expect(state?["properties"]?["settings"]?["properties"]?["theme"]?["enum"] == ["system", "light", "dark"])
        #expect(state?["properties"]?["calendar"]?["properties"]?["selectedDay"]?["type"] == ["string", "null"])
    }
}
