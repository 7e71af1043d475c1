import JSON

/// Prints the types of a store kind as a TypeScript module.
enum TypeScriptTypes {
    static func source(of kind: TypedKind) -> String {
        var names = IdentifierNames(reserved: ["Array", "Record"])
        let prefix = names.name(kind.name, isType: true)
        let (union, state) = (names.name(prefix + "Action", isType: true), names.name(prefix + "State", isType: true))
        let actions = kind.actions.map { (action: $0, name: names.name($0.type, isType: true)) }
        var parts = [
            "// The types of the store kind \(quoted(kind.name)), made by 'types --typescript'. Make them again after an upgrade."
        ]
        if let version = kind.version {
            let constant = "export const \(names.name(kind.name + " version", isType: false)) = \(quoted(version));"
            parts.append("/** The version of the kind, as GET /stores shows it. */\n" + constant)
        }
        parts.append(declaration(of: union, "An action that clients may send.", actions.map(\.name)))
        parts.append("/** The state. */\nexport type \(state) = \(kind.state.map { type($0, "") } ?? "unknown");")
        parts += actions.map { declaration(of: $0.action, $0.name) }
        return (parts + reasons(of: actions, in: kind, prefix, &names)).joined(separator: "\n\n")
    }

    /// The reasons of each action that has some, and those of all actions; nothing if no action has any.
    private static func reasons(
        of actions: [(action: TypedKind.Action, name: String)], in kind: TypedKind, _ prefix: String,
        _ names: inout IdentifierNames
    ) -> [String] {
        guard !kind.reasons.isEmpty else { return [] }
        let all = names.name(prefix + "Reason", isType: true)
        let summary = "Why an action is rejected. A server can have other reasons."
        let each = actions.filter { !$0.action.reasons.isEmpty }.map { action, name in
            declaration(
                of: names.name(name + "Reason", isType: true), "Why \(action.type) is rejected.",
                action.reasons.map(quoted))
        }
        return [declaration(of: all, summary, kind.reasons.map(quoted))] + each
    }

    private static func declaration(of union: String, _ summary: String, _ members: [String]) -> String {
        let types = members.isEmpty ? " never" : members.map { "\n  | \($0)" }.joined()
        return "\(comment(summary, ""))export type \(union) =\(types);"
    }

    private static func declaration(of action: TypedKind.Action, _ name: String) -> String {
        var lines = ["\(comment(action.summary, ""))export interface \(name) {", "  type: \(quoted(action.type));"]
        if case .object(let properties) = action.payload.shape, properties.isEmpty {
            lines.append("  payload?: Record<string, never>;")
        } else {
            lines.append("  payload\(action.payload.isOptional ? "?" : ""): \(type(action.payload, "  "));")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    /// - Parameter margin: that of the line in which the type begins.
    private static func type(_ schema: PublishedSchema, _ margin: String) -> String {
        let text = shape(schema, margin)
        return schema.isNullable && schema.shape != .any ? text + " | null" : text
    }

    private static func shape(_ schema: PublishedSchema, _ margin: String) -> String {
        switch schema.shape {
        case .any: "unknown"
        case .boolean: "boolean"
        case .integer, .number: "number"
        case .string: "string"
        case .choice(let choices): choices.isEmpty ? "never" : choices.map(quoted).joined(separator: " | ")
        case .array(let element): "Array<\(type(element, margin))>"
        case .dictionary(let value): "Record<string, \(type(value, margin))>"
        case .object(let properties): object(properties, margin)
        }
    }

    private static func object(_ properties: [PublishedSchema.Property], _ margin: String) -> String {
        guard !properties.isEmpty else { return "Record<string, never>" }
        let inner = margin + "  "
        let members = properties.map { property in
            let note = property.schema.details.map { comment($0, inner) } ?? ""
            let name = isIdentifier(property.name) ? property.name : quoted(property.name)
            let mark = property.isRequired ? "" : "?"
            return "\(note)\(inner)\(name)\(mark): \(type(property.schema, inner));\n"
        }
        return "{\n\(members.joined())\(margin)}"
    }

    /// A line with a documentation comment; empty for no text.
    private static func comment(_ text: String, _ margin: String) -> String {
        guard !text.isEmpty else { return "" }
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return "\(margin)/** \(line.replacing("*/", with: "*\\/")) */\n"
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
        return name.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & 0xDF) || $0 == 36 || $0 == 95 }
    }

    /// JSON is a subset of the texts of ECMAScript (since 2019).
    private static func quoted(_ text: String) -> String { JSONValue.string(text).description }
}

extension PublishedSchema {
    /// Whether an action may leave its payload out.
    var isOptional: Bool {
        guard case .object(let properties) = shape else { return false }
        return properties.allSatisfy { !$0.isRequired }
    }
}
