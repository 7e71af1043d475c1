import JSON
import StoreHosting
import StorehouseServer
import Testing

/// The states and the actions of each kind of store are described.
@Suite struct DescribedKindTests {
    @Test func theActionsOfEachKindAreOneUnion() async throws {
        try await LiveServer.run { server in
            let api = try await DescribedAPI(of: server)
            let stores = try #require(try await server.get("/stores")[json: "stores"]?.asArray)
            let names = [
                "AppAction", "LoginAction", "LoginFormAction", "AnimalAction", "BettingAction", "PlannerAction",
            ]
            #expect(names.count == stores.count)
            for (name, store) in zip(names, stores) {
                let actions = store["actions"]?.asArray?.filter { $0["audience"] == "client" } ?? []
                let union = try #require(api.schema(name))
                #expect(union["discriminator"]?["propertyName"] == "type")
                let mapping = try #require(union["discriminator"]?["mapping"]?.asObject)
                #expect(mapping.names == actions.compactMap { $0["type"]?.asString })
                #expect(mapping.map { ["$ref": $0.value] } == union["oneOf"]?.asArray)
                for (type, reference) in mapping {
                    let schema = try #require(api.resolved(["$ref": reference]))
                    #expect(schema["properties"]?["type"]?["const"] == .string(type))
                }
                let all = try #require(api.schema("Action")?["oneOf"]?.asArray)
                let choices = try #require(union["oneOf"]?.asArray)
                #expect(choices.allSatisfy(all.contains))
            }
            let choices = try #require(api.schema("DispatchRequest")?["oneOf"]?.asArray)
            #expect(choices[0] == ["$ref": "#/components/schemas/Action"])
            #expect(choices[1]["items"] == choices[0])
        }
    }

    @Test func theInitialStateOfEachKindFitsItsSchema() async throws {
        try await LiveServer.run { server in
            let api = try await DescribedAPI(of: server)
            let states = try #require(api.schema("State")?["x-states"]?.asObject)
            let stores = try #require(try await server.get("/stores")[json: "stores"]?.asArray)
            #expect(states.names == stores.compactMap { $0["name"]?.asString })
            for store in stores {
                let schema = try #require(states[store["name"]?.asString ?? ""])
                let initial = try #require(store["initialState"])
                #expect(SchemaCheck(api: api).complaints(about: initial, schema) == [])
            }
        }
    }

    private struct Shop {
        struct Place: Codable, Hashable { var shelf = 1 }

        var place = Place()
        var spare: Place?
        var places: [Place] = [Place()]
    }

    /// A kind whose schemas' names would be those of others.
    private static func kind(_ name: String, _ field: Field<String>) -> StoreKind {
        StoreDefinition(name, "A shop.", Shop()) {
            Member("place", \.place)
            Member("spare", \.spare)
            Member("places", \.places)
            Action("shop/add", "Adds.", field) { _, _ in }
        }
        .kind
    }

    @Test func objectsInsideAStateAreSchemas() async throws {
        let kinds = [Self.kind("shop", .text("item", 1...9, example: "Tea"))]
        try await LiveServer.run(kinds: kinds, configuration: .with { $0.sessions.defaultStore = "shop" }) { server in
            let api = try await DescribedAPI(of: server)
            let properties = try #require(api.schema("ShopState")?["properties"])
            #expect(properties["place"] == ["$ref": "#/components/schemas/ShopStatePlace"])
            #expect(properties["spare"]?["anyOf"]?.asArray?.first == ["$ref": "#/components/schemas/ShopStateSpare"])
            #expect(properties["places"]?["items"] == ["$ref": "#/components/schemas/ShopStatePlacesItem"])
            #expect(api.schema("ShopStatePlace")?["properties"]?["shelf"]?["format"] == "int64")
            #expect(api.schema("ShopState")?["additionalProperties"] == nil)
        }
    }

    @Test func kindsThatDifferInAnActionHaveASchemaEach() async throws {
        let kinds = [
            Self.kind("shop", .text("item", 1...9, example: "Tea")),
            Self.kind("shop-2", .text("item", 1...9, example: "Tea")),
            Self.kind("logged", .text("thing", 1...9, example: "Tea")),
            Self.kind("new-shop", .text("item", 1...9, example: "Tea")),
        ]
        try await LiveServer.run(kinds: kinds, configuration: .with { $0.sessions.defaultStore = "shop" }) { server in
            let api = try await DescribedAPI(of: server)
            let add = { (union: String) in api.schema(union)?["discriminator"]?["mapping"]?["shop/add"] }
            #expect(add("ShopAction") == "#/components/schemas/ShopAdd")
            #expect(add("Shop2Action") == "#/components/schemas/ShopAdd")
            // The log's entry has the name LoggedAction.
            #expect(add("LoggedAction2") == "#/components/schemas/LoggedShopAdd")
            #expect(api.schema("LoggedShopAddPayload")?["properties"]?.asObject?.names == ["thing"])
            // Clients in Go have a function of this name without the number.
            #expect(api.schema("NewShopState2") != nil && api.schema("NewShopState") == nil)
            // A body of this type is one of two schemas, which a discriminator cannot express.
            #expect(api.schema("Action")?["anyOf"]?.asArray?.count == 2)
            #expect(api.schema("Action")?["discriminator"] == nil)
            #expect(api.references.filter { api.resolved(["$ref": .string($0)]) == nil } == [])
        }
    }
}
