import JSON
import StorehouseServer

/// Prints the types of a store kind as Swift: one namespace, so that two kinds fit into one module.
struct SwiftTypes {
    private var usesNullable = false

    static func source(of kind: TypedKind) -> String {
        var types = SwiftTypes()
        var names = IdentifierNames(reserved: SwiftNames.types)
        let name = names.name(kind.name, isType: true)
        var parts = [types.actions(kind.actions, ReasonNames(kind.reasons)), types.state(kind.state)]
        if !kind.reasons.isEmpty { parts.append(reasons(kind.reasons)) }
        if !kind.selectors.isEmpty { parts.append(selectors(kind.selectors)) }
        if let version = kind.version { parts.append(constant(version)) }
        parts += [problemCodes, SwiftSupport.messages]
        if types.usesNullable { parts.append(SwiftSupport.nullable) }
        parts.append(SwiftSupport.json)
        let members = parts.joined(separator: "\n\n")
        return """
            // Made by 'types --swift'. Make it again after an upgrade.

            /// The types of the store kind \(SwiftNames.quoted(kind.name)).
            public enum \(name) {
            \(SwiftNames.indented(members))
            }
            """
    }

    private static func reasons(_ reasons: [String]) -> String {
        "/// Why an action is rejected. A server can have other reasons.\n" + SwiftNames.enumeration("Reason", reasons)
    }

    private static func selectors(_ selectors: [TypedKind.Selector]) -> String {
        let summaries = selectors.map { ($0.name, $0.summary) }
        return "/// The named values for `select`.\n"
            + SwiftNames.enumeration("Selector", selectors.map(\.name), Dictionary(summaries) { first, _ in first })
    }

    private static var problemCodes: String {
        let codes = Problem.Code.allCases
        let titles = codes.map { ($0.rawValue, $0.title + ".") }
        return "/// The codes of problems.\n"
            + SwiftNames.enumeration("ProblemCode", codes.map(\.rawValue), Dictionary(uniqueKeysWithValues: titles))
    }

    private static func constant(_ version: String) -> String {
        """
        /// The version of the kind, as GET /stores shows it.
        public static let version = \(SwiftNames.quoted(version))
        """
    }

    private mutating func state(_ schema: PublishedSchema?) -> String {
        guard let schema else { return "/// The state, of any shape.\npublic typealias State = JSON" }
        guard case .object(let properties) = schema.shape else {
            var scope = SwiftScope(keepsNull: false, reserved: SwiftNames.messages)
            let text = type(of: schema, "StateValue", &scope)
            return (["/// The state.\npublic typealias State = \(text)"] + scope.declarations).joined(separator: "\n\n")
        }
        return structure("State", "The state.", properties, keepsNull: false)
    }

    // MARK: Actions

    private mutating func actions(_ actions: [TypedKind.Action], _ reasons: ReasonNames) -> String {
        guard !actions.isEmpty else { return "/// Clients may send no action.\npublic typealias Action = Never" }
        var scope = SwiftScope(keepsNull: true, reserved: reasons.isEmpty ? [] : ["Reason"])
        var caseNames = IdentifierNames(reserved: reasons.isEmpty ? [] : ["reasons"])
        let cases = actions.map { action -> SwiftCase in
            let name = SwiftNames.escaped(caseNames.name(action.type, isType: false))
            guard !action.payload.isEmpty else { return SwiftCase(action: action, name: name, payload: nil) }
            return SwiftCase(action: action, name: name, payload: type(of: action.payload, action.type, &scope))
        }
        let body =
            [
                cases.map(\.declaration).joined(separator: "\n"),
                "private enum CodingKeys: String, CodingKey {\n    case type, payload\n}",
                """
                public init(from decoder: any Decoder) throws {
                    let action = try decoder.container(keyedBy: CodingKeys.self)
                    let type = try action.decode(String.self, forKey: .type)
                    switch type {
                \(SwiftNames.indented(cases.map(\.decoding).joined(separator: "\n")))
                    default:
                        throw DecodingError.dataCorruptedError(
                            forKey: .type, in: action, debugDescription: "there is no action \\(type)")
                    }
                }
                """,
                """
                public func encode(to encoder: any Encoder) throws {
                    var action = encoder.container(keyedBy: CodingKeys.self)
                    switch self {
                \(SwiftNames.indented(cases.map(\.encoding).joined(separator: "\n")))
                    }
                }
                """,
            ] + reasons.members(of: cases) + scope.declarations
        return """
            /// An action that clients may send.
            public enum Action: Codable, Hashable, Sendable {
            \(SwiftNames.indented(body.joined(separator: "\n\n")))
            }
            """
    }

    // MARK: Types

    /// The name of the type of a schema. What has to be declared for it goes into the scope.
    ///
    /// - Parameter name: what a new type is named after.
    private mutating func type(of schema: PublishedSchema, _ name: String, _ scope: inout SwiftScope) -> String {
        switch schema.shape {
        case .any: return "JSON"
        case .boolean: return "Bool"
        case .integer: return "Int"
        case .number: return "Double"
        case .string: return "String"
        case .choice(let choices):
            guard !choices.isEmpty else { return "String" }
            return scope.declare(name) { SwiftNames.enumeration($0, choices) }
        case .array(let element): return "[\(self.element(element, name, &scope))]"
        case .dictionary(let value): return "[String: \(element(value, name, &scope))]"
        case .object(let properties):
            let keepsNull = scope.keepsNull
            return scope.declare(name) { structure($0, schema.details ?? "", properties, keepsNull: keepsNull) }
        }
    }

    private mutating func element(_ schema: PublishedSchema, _ name: String, _ scope: inout SwiftScope) -> String {
        type(of: schema, name, &scope) + (schema.isNullable && schema.shape != .any ? "?" : "")
    }

    /// - Parameter keepsNull: whether `null` differs from a missing member, as it does in an action.
    private mutating func structure(
        _ name: String, _ summary: String, _ properties: [PublishedSchema.Property], keepsNull: Bool
    ) -> String {
        var scope = SwiftScope(keepsNull: keepsNull)
        var names = IdentifierNames(reserved: SwiftNames.members.union(SwiftNames.types))
        let members = properties.map { property -> SwiftMember in
            var type = type(of: property.schema, property.name, &scope)
            let isNullable = property.schema.isNullable && property.schema.shape != .any
            if isNullable, keepsNull {
                usesNullable = true
                type = "Nullable<\(type)>"
            }
            return SwiftMember(
                name: names.memberName(property.name), key: property.name, type: type,
                isOptional: !property.isRequired || isNullable && !keepsNull,
                isNullable: isNullable && keepsNull, details: property.schema.details)
        }
        var body = [members.map(\.declaration).joined(separator: "\n"), SwiftMember.initializer(members)]
        let keepsMissing = members.contains { $0.isOptional && $0.isNullable }
        if keepsMissing || members.contains(where: { $0.name != $0.key }) { body.append(SwiftMember.keys(members)) }
        if keepsMissing { body.append(SwiftMember.decoder(members)) }
        let parts = (body + scope.declarations).filter { !$0.isEmpty }
        return """
            \(SwiftNames.comment(summary))public struct \(name): Codable, Hashable, Sendable {
            \(SwiftNames.indented(parts.joined(separator: "\n\n")))
            }
            """
    }
}

/// The types that are declared inside of another one.
private struct SwiftScope {
    let keepsNull: Bool
    private var names: IdentifierNames
    private(set) var declarations: [String] = []

    init(keepsNull: Bool, reserved: Set<String> = []) {
        self.keepsNull = keepsNull
        names = IdentifierNames(reserved: SwiftNames.types.union(reserved))
    }

    /// - Returns: the name of the type that `declaration` declares.
    mutating func declare(_ text: String, _ declaration: (String) -> String) -> String {
        let name = names.name(text, isType: true)
        declarations.append(declaration(name))
        return name
    }
}

/// An action as a case of the enumeration.
private struct SwiftCase {
    let action: TypedKind.Action
    let name: String
    /// The type of the payload; nil for none.
    let payload: String?

    var declaration: String {
        SwiftNames.comment(action.summary) + "case \(name)" + (payload.map { "(\($0))" } ?? "")
    }

    var decoding: String {
        let type = "case \(SwiftNames.quoted(action.type)):"
        guard let payload else { return "\(type) self = .\(name)" }
        guard action.payload.isOptional else {
            return "\(type) self = .\(name)(try action.decode(\(payload).self, forKey: .payload))"
        }
        return """
            \(type)
                self = .\(name)(try action.decodeIfPresent(\(payload).self, forKey: .payload) ?? \(payload)())
            """
    }

    var encoding: String {
        let type = "    try action.encode(\(SwiftNames.quoted(action.type)), forKey: .type)"
        guard payload != nil else { return "case .\(name):\n\(type)" }
        return "case .\(name)(let payload):\n\(type)\n    try action.encode(payload, forKey: .payload)"
    }
}

/// The cases of the enumeration of reasons.
private struct ReasonNames {
    private var names: [String: String] = [:]

    init(_ reasons: [String]) {
        var members = IdentifierNames(reserved: SwiftNames.members)
        for reason in reasons { names[reason] = members.memberName(reason) }
    }

    var isEmpty: Bool { names.isEmpty }

    /// The member of the actions that tells the reasons of each.
    func members(of cases: [SwiftCase]) -> [String] {
        guard !isEmpty else { return [] }
        let lines = cases.map { one in
            let reasons = one.action.reasons.compactMap { names[$0] }.map { "." + $0 }
            return "case .\(one.name): [\(reasons.joined(separator: ", "))]"
        }
        return [
            """
            /// Why the action is rejected, as far as its declaration tells.
            public var reasons: [Reason] {
                switch self {
            \(SwiftNames.indented(lines.joined(separator: "\n")))
                }
            }
            """
        ]
    }
}

/// A member of a structure.
private struct SwiftMember {
    let name: String
    let key: String
    let type: String
    let isOptional: Bool
    let isNullable: Bool
    let details: String?

    private var whole: String { isOptional ? type + "?" : type }

    var declaration: String { SwiftNames.comment(details ?? "") + "public var \(name): \(whole)" }

    static func initializer(_ members: [SwiftMember]) -> String {
        guard !members.isEmpty else { return "public init() {}" }
        let parameters = members.map { "\($0.name): \($0.whole)\($0.isOptional ? " = nil" : "")" }
        let assignments = members.map { "    self.\($0.name) = \($0.name)" }
        return (["public init(\(parameters.joined(separator: ", "))) {"] + assignments + ["}"]).joined(separator: "\n")
    }

    static func keys(_ members: [SwiftMember]) -> String {
        let cases = members.map { member in
            "    case \(member.name)" + (member.name == member.key ? "" : " = \(SwiftNames.quoted(member.key))")
        }
        return (["private enum CodingKeys: String, CodingKey {"] + cases + ["}"]).joined(separator: "\n")
    }

    /// The synthesized one would take `null` for a missing member.
    static func decoder(_ members: [SwiftMember]) -> String {
        let lines = members.map { member -> String in
            let key = "\(member.type).self, forKey: .\(member.name)"
            if member.isOptional, member.isNullable {
                return "    \(member.name) = object.contains(.\(member.name)) ? try object.decode(\(key)) : nil"
            }
            return "    \(member.name) = try object.\(member.isOptional ? "decodeIfPresent" : "decode")(\(key))"
        }
        let start = [
            "public init(from decoder: any Decoder) throws {",
            "    let object = try decoder.container(keyedBy: CodingKeys.self)",
        ]
        return (start + lines + ["}"]).joined(separator: "\n")
    }
}

extension PublishedSchema {
    /// Whether a payload of this schema has no members.
    fileprivate var isEmpty: Bool { shape == .object([]) }
}
