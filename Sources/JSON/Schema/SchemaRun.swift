/// One run of a type's `init(from:)`, which decodes samples or an example.
final class SchemaRun {
    let recorder: SchemaRecorder
    let root: SchemaNode
    let sample: Int
    /// The number of the only key that an enum finds.
    let key: Int
    /// The number of the step that fails.
    private let refused: Int?
    /// For each step, what to do if the type does without it.
    private(set) var steps: [() -> Void] = []

    init(_ recorder: SchemaRecorder, sample: Int = 0, key: Int = 0, refusing refused: Int? = nil) {
        self.recorder = recorder
        self.sample = sample
        self.key = key
        self.refused = refused
        root = SchemaNode(example: nil)
    }

    init(_ recorder: SchemaRecorder, example: JSONValue) {
        self.recorder = recorder
        sample = 0
        key = 0
        refused = nil
        root = SchemaNode(example: example)
    }

    /// A value of the type; nil if its `init(from:)` throws.
    func make<Value: Decodable>(_ type: Value.Type) -> Value? {
        guard recorder.begin() else { return nil }
        return try? type.init(from: SchemaDecoder(node: root, run: self))
    }

    /// Counts a step of decoding.
    ///
    /// - Parameter accept: called if the type can be decoded although the step fails.
    func step(_ accept: @escaping () -> Void) throws {
        steps.append(accept)
        // Also ends code that decodes until an error happens.
        if steps.count == (refused ?? -1) + 1 || steps.count > 1000 { throw SchemaNode.refusal }
    }

    /// Records a value, and returns a sample of it.
    func value<Value: Decodable>(
        _ type: Value.Type, in node: SchemaNode, _ example: JSONValue?, _ note: (JSONSchema) -> Void
    ) throws -> Value {
        let (schema, value) = recorder.record(type, example, sample)
        note(schema)
        guard let value else { throw SchemaNode.refusal }
        return value
    }
}

/// The value, members or elements that a type has decoded in one place.
final class SchemaNode {
    private enum Part {
        case schema(JSONSchema)
        case node(SchemaNode)

        var schema: JSONSchema {
            switch self {
            case .schema(let schema): schema
            case .node(let node): node.schema
            }
        }
    }

    private enum Content {
        case nothing
        case value(JSONSchema)
        case array, object, unknown
    }

    static let refusal = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "is not valid"))

    let example: JSONValue?
    /// The names of all keys, if the type asks which of them there are, as an enum does.
    private(set) var keys: [String]?
    private var content = Content.nothing
    private var isNullable = false
    private var parts: [(name: String, part: Part)] = []
    private var optional: Set<String> = []
    private var nullable: Set<String> = []
    private var elements: [Part] = []
    private var hasAnyLength = false

    init(example: JSONValue?) { self.example = example }

    var names: [String] { parts.map(\.name) }

    func schema(of name: String) -> JSONSchema? {
        guard let schema = parts.first(where: { $0.name == name })?.part.schema else { return nil }
        return nullable.contains(name) ? schema.nullable : schema
    }

    var schema: JSONSchema {
        let schema: JSONSchema =
            switch content {
            case .nothing, .unknown: .any
            case .value(let schema): schema
            case .array: arraySchema
            case .object: objectSchema
            }
        return isNullable ? schema.nullable : schema
    }

    private var objectSchema: JSONSchema {
        .object(
            names.map { name in
                let schema = schema(of: name) ?? .any
                return optional.contains(name) ? .optional(name, schema) : .required(name, schema)
            })
    }

    private var arraySchema: JSONSchema {
        let schemas = elements.map(\.schema)
        let isUniform = Set(schemas.map { $0.encoded() }).count == 1
        let items = isUniform ? schemas.first ?? .any : .any
        return .array(
            of: items, minItems: hasAnyLength ? nil : schemas.count, maxItems: hasAnyLength ? nil : schemas.count)
    }
}

// The reports of the decoding containers.
extension SchemaNode {
    func isAnything() { content = .unknown }
    func isNull() { isNullable = true }
    func isValue(_ schema: JSONSchema) { content = .value(schema) }
    func isObject() { if case .nothing = content { content = .object } }
    func isArray() { if case .nothing = content { content = .array } }
    func asksForLength() { hasAnyLength = true }

    func has(_ name: String, _ schema: JSONSchema) { set(name, .schema(schema)) }
    func mayHave(_ name: String) { optional.insert(name) }
    func mayBeNull(_ name: String) { nullable.insert(name) }

    /// The member may be missing, and may have another type.
    func isAnything(_ name: String) {
        optional.insert(name)
        set(name, .schema(.any))
    }

    /// The member's node.
    func child(_ name: String) -> SchemaNode {
        let child = SchemaNode(example: example?[name])
        set(name, .node(child))
        return child
    }

    /// The element's node.
    func child() -> SchemaNode {
        let child = SchemaNode(example: exampleElement)
        elements.append(.node(child))
        return child
    }

    func hasElement(_ schema: JSONSchema) { elements.append(.schema(schema)) }

    var count: Int { elements.count }
    var exampleElement: JSONValue? {
        guard let examples = example?.asArray, count < examples.count else { return nil }
        return examples[count]
    }

    /// The keys that the type finds.
    func keys<Key: CodingKey>(_ type: Key.Type, chosen: Int) -> [Key] {
        let all = EnumCases.all(of: type)
        keys = all?.map(\.stringValue)
        if let example { return example.asObject?.names.compactMap(Key.init(stringValue:)) ?? [] }
        guard let all else {
            content = .unknown
            return []
        }
        return all.indices.contains(chosen) ? [all[chosen]] : []
    }

    private func set(_ name: String, _ part: Part) {
        if let index = parts.firstIndex(where: { $0.name == name }) {
            parts[index].part = part
        } else {
            parts.append((name, part))
        }
    }
}
