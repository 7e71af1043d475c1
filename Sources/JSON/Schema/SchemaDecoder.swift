/// The decoder that records what a type decodes.
struct SchemaDecoder: Decoder {
    let node: SchemaNode
    let run: SchemaRun

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try run.step { [node] in node.isAnything() }
        if let example = node.example, example.asObject == nil { throw SchemaNode.refusal }
        node.isObject()
        return KeyedDecodingContainer(KeyedSchema(node: node, run: run))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try run.step { [node] in node.isAnything() }
        if let example = node.example, example.asArray == nil { throw SchemaNode.refusal }
        node.isArray()
        return UnkeyedSchema(node: node, run: run)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleValueSchema(node: node, run: run) }
}

private struct SingleValueSchema: SingleValueDecodingContainer {
    let node: SchemaNode
    let run: SchemaRun

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
        node.isNull()
        return node.example?.isNull ?? false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try run.step { [node] in node.isAnything() }
        return try run.value(type, in: node, node.example) { node.isValue($0) }
    }
}

private struct KeyedSchema<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: SchemaNode
    let run: SchemaRun

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { node.keys(Key.self, chosen: run.key) }

    func contains(_ key: Key) -> Bool {
        node.mayHave(key.stringValue)
        return node.example.map { $0[key.stringValue] != nil } ?? true
    }

    func decodeNil(forKey key: Key) -> Bool {
        node.mayBeNull(key.stringValue)
        return node.example?[key.stringValue]?.isNull ?? false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let name = key.stringValue
        try run.step { [node] in node.isAnything(name) }
        if let example = node.example, example[name] == nil { throw SchemaNode.refusal }
        return try run.value(type, in: node, node.example?[name]) { node.has(name, $0) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let name = key.stringValue
        try run.step { [node] in node.isAnything(name) }
        var example = node.example?[name]
        if example?.isNull == true { example = nil }
        let (schema, value) = run.recorder.record(type, example, run.sample)
        node.has(name, schema)
        node.mayHave(name)
        node.mayBeNull(name)
        if node.example != nil { return example == nil ? nil : value }
        // Without a value first, because a recursive type has none; some types need a value.
        return run.sample == 0 ? nil : value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { SchemaDecoder(node: node.child("super"), run: run) }

    func superDecoder(forKey key: Key) -> any Decoder { SchemaDecoder(node: node.child(key.stringValue), run: run) }
}

private struct UnkeyedSchema: UnkeyedDecodingContainer {
    let node: SchemaNode
    let run: SchemaRun
    private(set) var currentIndex = 0

    init(node: SchemaNode, run: SchemaRun) {
        self.node = node
        self.run = run
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { node.example?.asArray?.count }

    /// Without an example there is one element.
    var isAtEnd: Bool {
        node.asksForLength()
        return currentIndex >= count ?? 1
    }

    mutating func decodeNil() throws -> Bool {
        guard node.exampleElement?.isNull == true else { return false }
        node.hasElement(.any)
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try advance()
        return try run.value(type, in: node, node.exampleElement) { node.hasElement($0) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        try advance()
        return SchemaDecoder(node: node.child(), run: run)
    }

    private mutating func advance() throws {
        try run.step { [node] in node.isAnything() }
        if node.example != nil, node.exampleElement == nil { throw SchemaNode.refusal }
        currentIndex += 1
    }
}
