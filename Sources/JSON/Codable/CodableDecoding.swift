extension JSONValue {
    /// Decodes a value of any `Decodable` type.
    ///
    /// Members that the type does not ask for are ignored. `1.0` is an integer too, as in ``asInteger``. The text of an
    /// error that the type throws by itself is not part of the error, because it may quote the value.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(JSONDecodingError) -> Value {
        do {
            return try ValueDecoder(self, step: nil, parent: nil).value(type)
        } catch {
            throw JSONDecodingError(error)
        }
    }

    /// The value of a type that Codable treats as a whole; nil if the type is another.
    ///
    /// - Parameter path: the path of this value, for the error.
    @inline(__always)
    fileprivate func scalar<Value>(_ type: Value.Type, _ path: () -> [any CodingKey]) throws -> Value? {
        if type == String.self {
            guard let text = asString else { throw mismatch(type, path(), "must be a string") }
            return unsafeBitCast(text, to: type)
        }
        if type == Int.self { return unsafeBitCast(try integer(Int.self, path), to: type) }
        if type == Bool.self {
            guard let flag = asBool else { throw mismatch(type, path(), "must be true or false") }
            return unsafeBitCast(flag, to: type)
        }
        if type == Double.self { return unsafeBitCast(try float(Double.self, path), to: type) }
        return try rareScalar(type, path)
    }

    private func rareScalar<Value>(_ type: Value.Type, _ path: () -> [any CodingKey]) throws -> Value? {
        if type == Int8.self { return unsafeBitCast(try integer(Int8.self, path), to: type) }
        if type == Int16.self { return unsafeBitCast(try integer(Int16.self, path), to: type) }
        if type == Int32.self { return unsafeBitCast(try integer(Int32.self, path), to: type) }
        if type == Int64.self { return unsafeBitCast(try integer(Int64.self, path), to: type) }
        if type == UInt.self { return unsafeBitCast(try integer(UInt.self, path), to: type) }
        if type == UInt8.self { return unsafeBitCast(try integer(UInt8.self, path), to: type) }
        if type == UInt16.self { return unsafeBitCast(try integer(UInt16.self, path), to: type) }
        if type == UInt32.self { return unsafeBitCast(try integer(UInt32.self, path), to: type) }
        if type == UInt64.self { return unsafeBitCast(try integer(UInt64.self, path), to: type) }
        if type == Float.self { return unsafeBitCast(try float(Float.self, path), to: type) }
        guard #available(macOS 15, iOS 18, visionOS 2, *) else { return nil }
        if type == Int128.self { return unsafeBitCast(try integer(Int128.self, path), to: type) }
        if type == UInt128.self { return unsafeBitCast(try integer(UInt128.self, path), to: type) }
        return nil
    }

    private func integer<Value: FixedWidthInteger>(_ type: Value.Type, _ path: () -> [any CodingKey]) throws -> Value {
        if let number = asInteger {
            if let value = Value(exactly: number) { return value }
        } else if case .number(let number) = self, let value = Value(number.text) {
            // Beyond 64 bits with sign.
            return value
        }
        let range = type == Int.self || type == Int64.self ? "of 64 bits" : "from \(type.min) to \(type.max)"
        throw mismatch(type, path(), "must be an integer " + range)
    }

    private func float<Value: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Value.Type, _ path: () -> [any CodingKey]
    ) throws -> Value {
        switch self {
        case .integer(let number):
            return Value(number)
        case .number(let number):
            guard let value = Value(number.text), value.isFinite else {
                throw mismatch(type, path(), "is beyond what a number may be")
            }
            return value
        default:
            throw mismatch(type, path(), "must be a number")
        }
    }

    fileprivate func mismatch(_ type: Any.Type, _ path: [any CodingKey], _ detail: String) -> DecodingError {
        let context = DecodingError.Context(path, detail)
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

/// The decoder of one value, and its single value container.
final class ValueDecoder: Decoder, SingleValueDecodingContainer {
    fileprivate let json: JSONValue
    private let step: (any CodingKey)?
    private let parent: ValueDecoder?
    private let depth: Int

    init(_ json: JSONValue, step: (any CodingKey)?, parent: ValueDecoder?) {
        self.json = json
        self.step = step
        self.parent = parent
        depth = (parent?.depth ?? 0) + 1
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var codingPath: [any CodingKey] { (parent?.codingPath ?? []) + (step.map { [$0] } ?? []) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = json.asObject else { throw json.mismatch(JSONObject.self, codingPath, "must be an object") }
        return KeyedDecodingContainer(KeyedDecoding(members, self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = json.asArray else { throw json.mismatch([JSONValue].self, codingPath, "must be an array") }
        return UnkeyedDecoding(elements, self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { json.isNull }

    // The generic method also is the one for each type that the protocol names, here and in the containers below.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let value = try json.scalar(type, { codingPath }) { return value }
        return try ValueDecoder(json, step: nil, parent: self).value(type)
    }

    /// Decodes the value by its `init(from:)`.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let value = try json.scalar(type, { codingPath }) { return value }
        guard depth < CodableLimit.decodingCalls else {
            throw DecodingError.dataCorrupted(.init(codingPath, "is nested too deeply"))
        }
        do {
            return try type.init(from: self)
        } catch {
            throw DecodingError.explaining(error, by: type, at: codingPath)
        }
    }

    /// The value of an element or a member.
    @inline(__always)
    fileprivate func part<Value: Decodable>(_ part: JSONValue, _ step: any CodingKey, _ type: Value.Type) throws
        -> Value
    {
        if let value = try part.scalar(type, { codingPath + [step] }) { return value }
        return try ValueDecoder(part, step: step, parent: self).value(type)
    }
}

private struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let members: JSONObject
    private let decoder: ValueDecoder

    init(_ members: JSONObject, _ decoder: ValueDecoder) {
        self.members = members
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool { members.slot(of: key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.part(try member(key), key, type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = JSONKey("super")
        return ValueDecoder(members[key.stringValue] ?? .null, step: key, parent: decoder)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        ValueDecoder(try member(key), step: key, parent: decoder)
    }

    private func member(_ key: Key) throws -> JSONValue {
        guard let member = members[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath, "is missing", at: codingPath + [key]))
        }
        return member
    }
}

private struct UnkeyedDecoding: UnkeyedDecodingContainer {
    private let elements: [JSONValue]
    private let decoder: ValueDecoder
    private(set) var currentIndex = 0

    init(_ elements: [JSONValue], _ decoder: ValueDecoder) {
        self.elements = elements
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        let isNull = try element().isNull
        currentIndex += isNull ? 1 : 0
        return isNull
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try decoder.part(try element(), JSONKey(currentIndex), type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try element(JSONKey(currentIndex)).container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try element(JSONKey(currentIndex)).unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let nested = try element(JSONKey(currentIndex))
        currentIndex += 1
        return nested
    }

    private func element(_ step: JSONKey) throws -> ValueDecoder {
        ValueDecoder(try element(), step: step, parent: decoder)
    }

    private func element() throws -> JSONValue {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self, .init(codingPath + [JSONKey(currentIndex)], "is missing"))
        }
        return elements[currentIndex]
    }
}
