import JSON
import StoreHosting
import StorehouseServer
import Testing

/// The states and the actions of each kind of store are described.
@Suite struct DescribedKindTests {
    @Test func theActionsOfEachKindAreOneUnion() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let stores = try #require(try await api.get("/stores")[json: "stores"]?.asArray)
            let names = [
                "AppAction", "LoginAction", "LoginFormAction", "AnimalAction", "BettingAction", "PlannerAction",
            ]
            #expect(names.count == stores.count)
            for (name, store) in zip(names, stores) {
                let actions = store["actions"]?.asArray?.filter { $0["audience"] == "client" } ?? []
                let union = try #require(described.schema(name))
                #expect(union["discriminator"]?["propertyName"] == "type")
                let mapping = try #require(union["discriminator"]?["mapping"]?.asObject)
                #expect(mapping.names == actions.compactMap { $0["type"]?.asString })
                #expect(mapping.map { ["$ref": $0.value] } == union["oneOf"]?.asArray)
                for (type, reference) in mapping {
                    let schema = try #require(described.resolved(["$ref": reference]))
                    #expect(schema["properties"]?["type"]?["const"] == .string(type))
                }
                let all = try #require(described.schema("Action")?["oneOf"]?.asArray)
                let choices = try #require(union["oneOf"]?.asArray)
                #expect(choices.allSatisfy(all.contains))
            }
            let choices = try #require(described.schema("DispatchRequest")?["oneOf"]?.asArray)
            #expect(choices[0] == ["$ref": "#/components/schemas/Action"])
            #expect(choices[1]["items"] == choices[0])
        }
    }

    @Test func theInitialStateOfEachKindFitsItsSchema() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let states = try #require(described.schema("State")?["x-states"]?.asObject)
            let stores = try #require(try await api.get("/stores")[json: "stores"]?.asArray)
            #expect(states.names == stores.compactMap { $0["name"]?.asString })
            for store in stores {
                let schema = try #require(states[store["name"]?.asString ?? ""])
                let initial = try #require(store["initialState"])
                #expect(SchemaCheck(api: described).complaints(about: initial, schema) == [])
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
        try await TestAPI.run(kinds: kinds, configuration: .with { $0.sessions.defaultStore = "shop" }) { api in
            let described = try await DescribedAPI(of: api)
            let properties = try #require(described.schema("ShopState")?["properties"])
            #expect(properties["place"] == ["$ref": "#/components/schemas/ShopStatePlace"])
            #expect(properties["spare"]?["anyOf"]?.asArray?.first == ["$ref": "#/components/schemas/ShopStateSpare"])
            #expect(properties["places"]?["items"] == ["$ref": "#/components/schemas/ShopStatePlacesItem"])
            #expect(described.schema("ShopStatePlace")?["properties"]?["shelf"]?["format"] == "int64")
            #expect(described.schema("ShopState")?["additionalProperties"] == nil)
        }
    }

    @Test func kindsThatDifferInAnActionHaveASchemaEach() async throws {
        let kinds = [
            Self.kind("shop", .text("item", 1...9, example: "Tea")),
            Self.kind("shop-2", .text("item", 1...9, example: "Tea")),
            Self.kind("logged", .text("thing", 1...9, example: "Tea")),
            Self.kind("new-shop", .text("item", 1...9, example: "Tea")),
        ]
        try await TestAPI.run(kinds: kinds, configuration: .with { $0.sessions.defaultStore = "shop" }) { api in
            let described = try await DescribedAPI(of: api)
            let add = { (union: String) in described.schema(union)?["discriminator"]?["mapping"]?["shop/add"] }
            #expect(add("ShopAction") == "#/components/schemas/ShopAdd")
            #expect(add("Shop2Action") == "#/components/schemas/ShopAdd")
            // The log's entry has the name LoggedAction.
            #expect(add("LoggedAction2") == "#/components/schemas/LoggedShopAdd")
            #expect(described.schema("LoggedShopAddPayload")?["properties"]?.asObject?.names == ["thing"])
            // Clients in Go have a function of this name without the number.
            #expect(described.schema("NewShopState2") != nil && described.schema("NewShopState") == nil)
            // A body of this type is one of two schemas, which a discriminator cannot express.
            #expect(described.schema("Action")?["anyOf"]?.asArray?.count == 2)
            #expect(described.schema("Action")?["discriminator"] == nil)
            #expect(described.references.filter { described.resolved(["$ref": .string($0)]) == nil } == [])
        }
    }
}
