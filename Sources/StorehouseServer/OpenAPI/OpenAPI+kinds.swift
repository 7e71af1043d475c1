import JSON
import StoreHosting
import Stores

// The states and the actions of each kind.
extension OpenAPI {
    /// Adds the schemas of each kind, and `State`, `Action` and `DispatchRequest`, which all kinds share.
    func addKinds(to components: inout SchemaComponents) {
        for name in ["State", "Action", "DispatchRequest"] { components.reserve(name) }
        let states = kinds.map { kind in
            (kind.name, components.add(words: kind.name, "State", schema: Self.state(of: kind)))
        }
        components.add("State", Self.anyState(states))
        addActions(to: &components)
    }

    /// The state as clients read it. Objects may get more members in later versions, which old clients must ignore.
    private static func state(of kind: StoreKind) -> JSONValue {
        var members = open(.written(kind.stateSchema.encoded())).asObject ?? [:]
        members["description"] = .string("The state of a session of the kind `\(kind.name)`.")
        return .object(members)
    }

    private static func open(_ schema: JSONValue) -> JSONValue {
        guard let members = schema.asObject else { return schema }
        return .object(
            JSONObject(
                members.compactMap { name, value in
                    switch name {
                    case "additionalProperties": value == false ? nil : (name, open(value))
                    case "properties":
                        (name, .object(JSONObject((value.asObject ?? [:]).map { ($0.name, open($0.value)) })))
                    case "items": (name, open(value))
                    default: (name, value)
                    }
                }))
    }

    /// Any JSON.
    ///
    /// A `oneOf` of the states would mislead generated clients. Nothing in an answer says which of them it is, one may
    /// have all members of another, and `select` makes any part of one.
    private static func anyState(_ states: [(kind: String, schema: String)]) -> JSONValue {
        let list = states.map { "`\($0.kind)`: \($0.schema)." }.joined(separator: " ")
        return [
            "description": .string(
                """
                The state, or the value that `select` selects. The `store` of the session tells the schema of its state. \
                \(list)
                """),
            "x-states": .object(JSONObject(states.map { ($0.kind, .schema($0.schema)) })),
        ]
    }

    /// Adds a union of actions for each kind, and one of all actions for the request.
    ///
    /// The request cannot be a union of the kinds' unions. As a `oneOf` it would refuse an action that two kinds share, and
    /// some generators make one object of an `anyOf`.
    private func addActions(to components: inout SchemaComponents) {
        var names = ActionNames()
        let unions = kinds.compactMap { kind -> (kind: String, schema: String)? in
            let actions = kind.actions.filter { $0.audience != .internal }.map { action in
                (action.type, names.name(of: action, in: kind, &components))
            }
            guard !actions.isEmpty else { return nil }
            let union = Self.union("An action that clients may send to sessions of the kind `\(kind.name)`.", actions)
            return (kind.name, components.add(words: kind.name, "Action", schema: union))
        }
        guard !unions.isEmpty else { return components.add("DispatchRequest", ["type": "object"]) }
        let list = unions.map { "`\($0.kind)`: \($0.schema)." }.joined(separator: " ")
        components.add("Action", Self.union("An action. The kinds have these: \(list)", names.all))
        // A batch with a name of its own makes the TypeScript of openapi-generator invalid.
        let batch: JSONValue = [
            "type": "array", "description": "Actions that are committed in order, all or none.",
            "items": .schema("Action"), "minItems": 1, "maxItems": 100,
        ]
        components.add("DispatchRequest", ["oneOf": [.schema("Action"), batch]])
    }

    private static func union(_ description: String, _ actions: [(type: String, schema: String)]) -> JSONValue {
        let mapping = actions.map { ($0.type, JSONValue.string("#/components/schemas/\($0.schema)")) }
        // Kinds may disagree on a type. A body may then fit two schemas, and a discriminator cannot name both.
        let isUnique = Set(actions.map(\.type)).count == actions.count
        let choices = JSONValue.array(actions.map { .schema($0.schema) })
        guard isUnique else { return ["description": .string(description), "anyOf": choices] }
        return [
            "description": .string(description), "oneOf": choices,
            "discriminator": ["propertyName": "type", "mapping": .object(JSONObject(mapping))],
        ]
    }
}

/// The schemas of action types. Kinds that declare the same action share its schema.
private struct ActionNames {
    private struct Declared: Hashable {
        let type: String
        let payload: [UInt8]
    }

    private(set) var all: [(type: String, schema: String)] = []
    private var names: [Declared: String] = [:]

    /// The name of an action's schema. It begins with the kind if another kind has another action of this type.
    mutating func name(
        of action: StoreKind.ActionDescription, in kind: StoreKind, _ components: inout SchemaComponents
    ) -> String {
        let declared = Declared(type: action.type, payload: action.payload.encoded())
        if let name = names[declared] { return name }
        let prefix = all.contains { $0.type == action.type } ? kind.name : ""
        let name = components.add(words: prefix, action.type, schema: Self.schema(of: action))
        names[declared] = name
        all.append((action.type, name))
        return name
    }

    private static func schema(of action: StoreKind.ActionDescription) -> JSONValue {
        let requiresPayload = !action.payload.validate([:]).isEmpty
        return [
            "type": "object",
            "description": .string(action.summary),
            "properties": [
                "type": ["type": "string", "const": .string(action.type)],
                "payload": .written(action.payload.encoded()),
            ],
            "required": requiresPayload ? ["type", "payload"] : ["type"],
            "additionalProperties": false,
        ]
    }
}
