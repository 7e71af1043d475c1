package import JSON
import Observability

/// A member of an action's payload, as a user writes it on the command line.
package enum ActionMember: Sendable, Hashable {
    /// `key=value`: the schema of the action decides what the value is.
    case text(name: String, String)
    /// `key:=JSON`
    case json(name: String, JSONValue)
    /// `key=@FILE` and `key:=@FILE`; `-` is standard input.
    case file(name: String, path: String, isJSON: Bool)

    /// Reads one word of a command line. A value that begins with two `@` begins with one.
    package init(_ word: String) throws(UsageError) {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
            throw .wrong("'\(word)' is not a member of a payload: key=value, or key:=JSON")
        }
        let (key, value) = (word[..<equals], String(word[word.index(after: equals)...]))
        let isJSON = key.hasSuffix(":") && key.count > 1
        let name = String(isJSON ? key.dropLast() : key)
        if value.hasPrefix("@"), !value.hasPrefix("@@"), value.count > 1 {
            self = .file(name: name, path: String(value.dropFirst()), isJSON: isJSON)
            return
        }
        guard isJSON else {
            self = .text(name: name, value.hasPrefix("@@") ? String(value.dropFirst()) : value)
            return
        }
        do throws(JSONSyntaxError) {
            self = .json(name: name, try JSONValue(parsing: value))
        } catch {
            // The value may be a secret.
            throw .wrong("the value of \(key)= is not JSON: \(error)")
        }
    }

    package var name: String {
        switch self {
        case .text(let name, _), .json(let name, _), .file(let name, _, _): name
        }
    }

    var isText: Bool { if case .text = self { true } else { false } }

    /// The member with its value, which may be in a file.
    package func read(_ input: CommandInput) throws -> ActionMember {
        guard case .file(let name, let path, let isJSON) = self else { return self }
        let text = try input.text(of: path, for: name)
        guard isJSON else { return .text(name: name, text) }
        do throws(JSONSyntaxError) {
            return .json(name: name, try JSONValue(parsing: text))
        } catch {
            throw CommandFailure("the value of \(name) in \(path) is not JSON: \(error)".escapedForOneLine)
        }
    }

    /// The payload of these members.
    ///
    /// - Parameters:
    ///   - members: those of files are read.
    ///   - schema: the published JSON Schema of the payload; nil if it is not known.
    package static func payload(_ members: [ActionMember], schema: JSONValue?) -> JSONObject {
        var payload = JSONObject()
        for member in members {
            switch member {
            case .json(let name, let value): payload[name] = value
            case .text(let name, let text):
                payload[name] = value(of: text, schema: schema?["properties"]?[name])
            case .file: continue
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
