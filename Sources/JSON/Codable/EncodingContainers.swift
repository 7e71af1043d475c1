/// A place for one value, or the container in it.
enum EncodingPlace {
    case stream(EncodingStream, _ ticket: Int, depth: Int)
    case node(EncodingNode)

    var path: [any CodingKey] {
        switch self {
        case .stream(let stream, _, let depth): stream.path(to: depth)
        case .node(let node): node.path
        }
    }

    var count: Int {
        switch self {
        case .stream(let stream, let ticket, let depth): stream.count(ticket, at: depth)
        case .node(let node): node.count
        }
    }

    /// Opens a container in this place.
    func opened(isArray: Bool) -> EncodingPlace {
        switch self {
        case .stream(let stream, let ticket, let depth):
            stream.open(ticket, at: depth, isArray: isArray)
            return self
        case .node(let node):
            return .node(node.open(isArray: isArray))
        }
    }

    /// Writes an element, or the member with that name.
    @inline(__always)
    func put<Value: Encodable>(_ value: Value, _ name: String? = nil) throws {
        switch self {
        case .stream(let stream, let ticket, let depth): try stream.put(value, name, in: ticket, at: depth)
        case .node(let node): try node.child(name).encode(value)
        }
    }

    func putNil(_ name: String? = nil) throws {
        switch self {
        case .stream(let stream, let ticket, let depth): try stream.putNil(name, in: ticket, at: depth)
        case .node(let node): try node.child(name).encodeNil()
        }
    }

    /// A place for an element, or for the member with that name.
    func place(_ name: String? = nil) -> EncodingPlace {
        switch self {
        case .stream(let stream, let ticket, let depth): stream.place(name, in: ticket, at: depth)
        // Without a child, everything that is encoded there is an error.
        case .node(let node): .node((try? node.child(name)) ?? node)
        }
    }
}

/// The encoder for one value.
struct ValueEncoder: Encoder {
    private let place: EncodingPlace

    init(_ place: EncodingPlace) { self.place = place }

    var codingPath: [any CodingKey] { place.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedEncoding(place.opened(isArray: false)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedEncoding(place.opened(isArray: true)) }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueEncoding(place: place) }
}

// In these containers, the generic method also is the one for each type that the protocol names.

private struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let place: EncodingPlace

    init(_ place: EncodingPlace) { self.place = place }

    var codingPath: [any CodingKey] { place.path }

    func encodeNil(forKey key: Key) throws { try place.putNil(key.stringValue) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try place.put(value, key.stringValue) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<
        Nested
    > {
        ValueEncoder(place.place(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        ValueEncoder(place.place(key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(place.place("super")) }

    func superEncoder(forKey key: Key) -> any Encoder { ValueEncoder(place.place(key.stringValue)) }
}

private struct UnkeyedEncoding: UnkeyedEncodingContainer {
    private let place: EncodingPlace

    init(_ place: EncodingPlace) { self.place = place }

    var codingPath: [any CodingKey] { place.path }
    var count: Int { place.count }

    func encodeNil() throws { try place.putNil() }

    func encode<Value: Encodable>(_ value: Value) throws { try place.put(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(place.place()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { ValueEncoder(place.place()).unkeyedContainer() }

    func superEncoder() -> any Encoder { ValueEncoder(place.place()) }
}

private struct SingleValueEncoding: SingleValueEncodingContainer {
    let place: EncodingPlace

    var codingPath: [any CodingKey] { place.path }

    func encodeNil() throws {
        switch place {
        case .stream(let stream, let ticket, _): try stream.encodeNil(ticket)
        case .node(let node): try node.encodeNil()
        }
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        switch place {
        case .stream(let stream, let ticket, let depth): try stream.encodeSingle(value, ticket, at: depth)
        case .node(let node): try node.encodeSingle(value)
        }
    }
}
