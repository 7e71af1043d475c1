import JSON
import Sessions
import StorehouseServer
import Testing

/// The OpenAPI document has nothing at which generators of clients fail.
@Suite struct GeneratorRuleTests {
    @Test func everyReferenceResolves() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            #expect(described.references.count > 100)
            #expect(described.references.filter { described.resolved(["$ref": .string($0)]) == nil } == [])
        }
    }

    @Test func operationIdsAreUnique() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let names = described.operations.compactMap { $0.json["operationId"]?.asString }
            #expect(names.count == described.operations.count)
            #expect(Set(names).count == names.count)
        }
    }

    @Test func everyOperationHasOneOfTheTags() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let tags = (described.json["tags"]?.asArray ?? []).compactMap { $0["name"] }
            let used = described.operations.compactMap { $0.json["tags"]?.asArray }
            #expect(used.count == described.operations.count)
            #expect(used.allSatisfy { $0.count == 1 })
            #expect(Set(used.joined()) == Set(tags))
        }
    }

    @Test func namesOfSchemasHaveOnlyLettersAndDigits() async throws {
        try await TestAPI.run { api in
            let names = try await DescribedAPI(of: api).schemas.map(\.name)
            #expect(names.count > 50)
            #expect(names.filter { $0.contains { !($0.isASCII && ($0.isLetter || $0.isNumber)) } } == [])
            #expect(Set(names.map { $0.lowercased() }).count == names.count)
            // Clients in Go have a function of this name for each type.
            #expect(names.filter { names.contains("New\($0)") } == [])
        }
    }

    @Test func noSchemaIsABoolean() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            #expect(described.allSchemas.count > 300)
            #expect(described.allSchemas.filter { $0.json.asObject == nil }.map(\.place) == [])
        }
    }

    @Test func everyObjectIsANamedSchema() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let named = Set(described.schemas.map { "#/components/schemas/\($0.name)" })
            let nameless = described.allSchemas.filter { place, json in
                !named.contains(place) && json["properties"]?.asObject?.isEmpty == false
            }
            #expect(nameless.map(\.place) == [])
            #expect(described.allSchemas.filter { $0.json["allOf"] != nil }.map(\.place) == [])
        }
    }

    @Test func integersHaveAFormatOrFitIn32Bits() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let integers = described.allSchemas.filter { $0.json["type"]?.mentions("integer") == true }
            let isLarge = { (json: JSONValue) in
                guard let minimum = json["minimum"]?.asInteger, let maximum = json["maximum"]?.asInteger else {
                    return true
                }
                return minimum < Int(Int32.min) || maximum > Int(Int32.max)
            }
            #expect(integers.contains { isLarge($0.json) } && integers.contains { !isLarge($0.json) })
            #expect(integers.filter { isLarge($0.json) && $0.json["format"] != "int64" }.map(\.place) == [])
        }
    }

    @Test func selectIsAPlainString() async throws {
        try await TestAPI.run { api in
            let select = try await DescribedAPI(of: api).json["components"]?["parameters"]?["select"]
            #expect(select?["schema"] == ["type": "string"])
            #expect(select?["description"]?.asString?.contains("In `planner`: `") == true)
        }
    }

    @Test func everyProblemHasTheSameSchema() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let responses = try #require(described.json["components"]?["responses"]?.asObject)
            #expect(responses.count > 10)
            for (name, response) in responses {
                let schema = response["content"]?["application/problem+json"]?["schema"]
                #expect(schema == ["$ref": "#/components/schemas/Problem"], "\(name)")
            }
        }
    }

    @Test func theStreamRefersToTheSchemaOfEachEvent() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let content = try described.operation("watch").json["responses"]?["200"]?["content"]?["text/event-stream"]
            let schema = try #require(content?["schema"])
            #expect(schema["contentMediaType"] == "text/event-stream")
            let names = [
                "StateEvent", "PatchEvent", "EffectEvent", "LoggedAction", "PresenceEvent", "SignalEvent",
                "ReadyEvent", "HeartbeatEvent", "ClosedEvent",
            ]
            let events = names.map { name -> JSONValue in ["$ref": .string("#/components/schemas/\(name)")] }
            #expect(schema["contentSchema"]?["items"]?["anyOf"] == .array(events))
            #expect(schema["x-events"]?.asObject?.map(\.value) == events)
        }
    }

    @Test func everyExampleIsValid() async throws {
        try await TestAPI.run { api in
            let described = try await DescribedAPI(of: api)
            let check = SchemaCheck(api: described)
            let holders = described.values { $0["examples"]?.asObject != nil && $0["schema"] != nil }
            #expect(holders.count > 20)
            for (place, holder) in holders {
                let schema = try #require(holder["schema"])
                for (name, example) in holder["examples"]?.asObject ?? [:] {
                    let value = try #require(example["value"], "\(place) \(name)")
                    #expect(check.complaints(about: value, schema) == [], "\(place) \(name)")
                }
            }
        }
    }
}

extension JSONValue {
    /// Whether a `type` is this, alone or among others.
    fileprivate func mentions(_ type: JSONValue) -> Bool {
        self == type || asArray?.contains(type) == true
    }
}
