package import JSON
package import StoreHosting

/// A JSON Schema as the server publishes it, taken apart.
///
/// It reads the published document, not ``JSONSchema``, so that `send` understands the schemas of a server of another release.
package struct PublishedSchema: Sendable, Hashable {
    package indirect enum Shape: Sendable, Hashable {
        case any
        case boolean
        case integer
        case number
        case string
        /// One of these texts.
        case choice([String])
        case array(of: PublishedSchema)
        /// An object with these members.
        case object([Property])
        /// An object with any members of one shape.
        case dictionary(of: PublishedSchema)
    }

    package struct Property: Sendable, Hashable {
        package let name: String
        package let schema: PublishedSchema
        package let isRequired: Bool
    }

    package let shape: Shape
    package let isNullable: Bool
    package let details: String?

    package init(_ json: JSONValue) {
        let types = json["type"]?.asArray ?? json["type"].map { [$0] } ?? []
        let names = types.compactMap(\.asString)
        isNullable = names.contains("null")
        details = json["description"]?.asString
        let others = names.filter { $0 != "null" }
        shape = others.count == 1 ? Self.shape(others[0], json) : .any
    }

    private static func shape(_ type: String, _ json: JSONValue) -> Shape {
        switch type {
        case "boolean": return .boolean
        case "integer": return .integer
        case "number": return .number
        case "string":
            guard let choices = json["enum"]?.asArray else { return .string }
            return .choice(choices.compactMap(\.asString))
        case "array": return .array(of: PublishedSchema(json["items"] ?? [:]))
        case "object": return object(json)
        default: return .any
        }
    }

    private static func object(_ json: JSONValue) -> Shape {
        let properties = json["properties"]?.asObject ?? [:]
        let additional = json["additionalProperties"]
        if properties.isEmpty, additional != false { return .dictionary(of: PublishedSchema(additional ?? [:])) }
        let required = Set((json["required"]?.asArray ?? []).compactMap(\.asString))
        return .object(
            properties.map { name, schema in
                Property(name: name, schema: PublishedSchema(schema), isRequired: required.contains(name))
            })
    }
}

/// A store kind whose types `types` prints: the parts that clients see.
package struct TypedKind: Sendable {
    package struct Action: Sendable {
        package let type: String
        package let summary: String
        /// The reasons for which it is rejected, as far as its declaration names them.
        package let reasons: [String]
        package let payload: PublishedSchema

        package init(type: String, summary: String, reasons: [String] = [], payload: PublishedSchema) {
            self.type = type
            self.summary = summary
            self.reasons = reasons
            self.payload = payload
        }
    }

    /// A named value for `select`.
    package struct Selector: Sendable {
        package let name: String
        package let summary: String

        package init(name: String, summary: String) {
            self.name = name
            self.summary = summary
        }
    }

    package let name: String
    /// The version of its declaration; nil if it is not known.
    package let version: String?
    /// The actions that clients may send.
    package let actions: [Action]
    package let selectors: [Selector]
    /// Nil if the kind does not say what its state is.
    package let state: PublishedSchema?

    package init(
        name: String, version: String? = nil, actions: [Action], selectors: [Selector] = [], state: PublishedSchema?
    ) {
        self.name = name
        self.version = version
        self.actions = actions
        self.selectors = selectors
        self.state = state
    }

    /// - Parameter state: the schema of the state, if the kind has one.
    package init(_ kind: StoreKind, state: JSONSchema? = nil) {
        self.init(
            name: kind.name, version: kind.version,
            actions: kind.actions.filter { $0.audience != .internal }.map { action in
                Action(
                    type: action.type, summary: action.summary, reasons: action.reasons,
                    payload: PublishedSchema(encoded: action.payload))
            },
            selectors: kind.selectors.map { Selector(name: $0.name, summary: $0.summary) },
            state: state.map { PublishedSchema(encoded: $0) })
    }
}

extension TypedKind {
    /// The reasons of all actions, each once.
    var reasons: [String] {
        actions.flatMap(\.reasons).reduce(into: []) { reasons, reason in
            if !reasons.contains(reason) { reasons.append(reason) }
        }
    }
}

extension PublishedSchema {
    fileprivate init(encoded schema: JSONSchema) {
        self.init((try? JSONValue(parsing: schema.encoded())) ?? [:])
    }
}

/// The languages of `types`.
package enum TypeLanguage: String, Sendable, CaseIterable {
    case typeScript = "typescript"
    case swift

    /// The source file for a kind.
    package func source(of kind: TypedKind) -> String {
        switch self {
        case .typeScript: TypeScriptTypes.source(of: kind)
        case .swift: SwiftTypes.source(of: kind)
        }
    }
}

/// Names of types and members that are unique in one scope.
struct IdentifierNames {
    private var taken: Set<String>

    /// - Parameter reserved: names that something else has.
    init(reserved: Set<String> = []) {
        taken = reserved
    }

    /// Takes a name as it is.
    ///
    /// - Returns: false if it is taken already.
    mutating func take(_ name: String) -> Bool { taken.insert(name).inserted }

    /// `counter/set-count` becomes `counterSetCount`, or `CounterSetCount` as a type. The name gets a number if it is taken.
    mutating func name(_ text: String, isType: Bool) -> String {
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) && $0 != "_" }
        var name = words.enumerated().map { index, word in
            index == 0 && !isType ? Self.lowercasingFirst(word) : word.prefix(1).uppercased() + word.dropFirst()
        }
        .joined()
        if name.isEmpty || name.first?.isNumber == true { name = (isType ? "Value" : "value") + name }
        var unique = name
        var number = 2
        while !taken.insert(unique).inserted {
            unique = "\(name)\(number)"
            number += 1
        }
        return unique
    }

    /// `URL` becomes `url`, and `userName` stays.
    private static func lowercasingFirst(_ word: Substring) -> String {
        word.contains(where: \.isLowercase) ? word.prefix(1).lowercased() + word.dropFirst() : word.lowercased()
    }
}
