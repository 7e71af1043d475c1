package import JSON

/// A member of an action's payload, as a user writes it on the command line.
package enum ActionMember: Sendable, Hashable {
    /// `key=value`: the schema of the action decides what the value is.
    case text(name: String, String)
    /// `key:=JSON`
    case json(name: String, JSONValue)

    /// Reads one word of a command line.
    package init(_ word: String) throws(UsageError) {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
            throw .wrong("'\(word)' is not a member of a payload: key=value, or key:=JSON")
        }
        let (key, value) = (word[..<equals], String(word[word.index(after: equals)...]))
        guard key.hasSuffix(":"), key.count > 1 else {
            self = .text(name: String(key), value)
            return
        }
        do throws(JSONSyntaxError) {
            self = .json(name: String(key.dropLast()), try JSONValue(parsing: value))
        } catch {
            // The value may be a secret.
            throw .wrong("the value of \(key)= is not JSON: \(error)")
        }
    }

    package var name: String {
        switch self {
        case .text(let name, _), .json(let name, _): name
        }
    }

    /// The payload of these members.
    ///
    /// - Parameter schema: the published JSON Schema of the payload; nil if it is not known.
    package static func payload(_ members: [ActionMember], schema: JSONValue?) -> JSONObject {
        var payload = JSONObject()
        for member in members {
            switch member {
            case .json(let name, let value): payload[name] = value
            case .text(let name, let text):
                payload[name] = value(of: text, schema: schema?["properties"]?[name])
            }
        }
        return payload
    }

    /// The value that a text means. A text that cannot be what the schema wants stays a text, and the server says what is
    /// wrong with it.
    private static func value(of text: String, schema: JSONValue?) -> JSONValue {
        guard let schema else { return .string(text) }
        let shape = PublishedSchema(schema)
        guard let json = try? JSONValue(parsing: text), shape.allows(json) else { return .string(text) }
        return json
    }
}

extension PublishedSchema {
    /// Whether the schema may allow a value that is not a text; its bounds do not count.
    fileprivate func allows(_ value: JSONValue) -> Bool {
        switch (shape, value) {
        case (_, .null): isNullable || shape == .any
        // A text is written without quotes, so quotes are part of it.
        case (_, .string): false
        case (.any, _), (.integer, .integer), (.integer, .number), (.number, .integer), (.number, .number),
            (.boolean, .bool), (.array, .array), (.object, .object), (.dictionary, .object):
            true
        default: false
        }
    }
}
