public import JSON
public import Stores

extension ActorID: StoreValue {
    /// Writes the id as a text.
    public func encode(into json: inout JSONWriter) { json.string(text) }

    /// Restores the id from a text.
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        self.init(try String(restoring: persisted))
    }
}

extension ActorID: JSONSchemaProviding {
    /// A text.
    package static var jsonSchema: JSONSchema { .string() }
}

extension Actor: StoreValue {
    /// Writes an object with `kind` and `roles`, and with `id` and `name` where there are any.
    public func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("kind", kind.rawValue)
            if !id.isEmpty { json.member("id", id) }
            json.member("name", ifPresent: name)
            json.member("roles", roles)
        }
    }
}

extension Actor: JSONSchemaProviding {
    /// The object that ``encode(into:)`` writes.
    package static var jsonSchema: JSONSchema {
        .object([
            .required("kind", .enumeration(Kind.allCases.map(\.rawValue))), .optional("id", .string()),
            .optional("name", .string()), .required("roles", .array(of: .string())),
        ])
    }
}

// The form in which commits are stored.
extension Actor {
    /// The actor as JSON, which is encoded once.
    package var json: [UInt8] { cachedJSON { $0.encoded() } }

    /// Reads what ``json`` returned; nil for anything else.
    package init?(json: [UInt8]) {
        guard let value = try? JSONValue(parsing: json),
            let actor = try? Actor(restoring: JSONValue.Persisted(value, privateState: nil, sealer: nil))
        else { return nil }
        self = actor
    }
}
