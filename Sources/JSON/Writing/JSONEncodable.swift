/// A value that can write itself as JSON.
///
/// An implementation writes exactly one value: `json.object { … }`, `json.string(…)` and so on.
public protocol JSONEncodable {
    /// Writes this value: exactly one JSON value.
    func encode(into json: inout JSONWriter)
}

extension JSONEncodable {
    /// The value as compact JSON in UTF-8.
    /// - Parameter capacity: the initial size of the buffer in bytes.
    @inlinable
    package func encoded(reservingCapacity capacity: Int = 256) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: capacity)
        encode(into: &json)
        return json.finish()
    }
}

extension String: JSONEncodable {
    @inlinable
    public func encode(into json: inout JSONWriter) {
        json.string(self)
    }
}

extension Int: JSONEncodable {
    @inlinable
    public func encode(into json: inout JSONWriter) {
        json.integer(self)
    }
}

extension Bool: JSONEncodable {
    @inlinable
    public func encode(into json: inout JSONWriter) {
        json.bool(self)
    }
}

extension Double: JSONEncodable {
    /// Writes `null` for infinities and NaN, which JSON does not have.
    @inlinable
    public func encode(into json: inout JSONWriter) {
        json.double(self)
    }
}

extension Optional: JSONEncodable where Wrapped: JSONEncodable {
    /// Writes `null` for nil.
    @inlinable
    public func encode(into json: inout JSONWriter) {
        if let value = self {
            value.encode(into: &json)
        } else {
            json.null()
        }
    }
}

extension Array: JSONEncodable where Element: JSONEncodable {
    @inlinable
    public func encode(into json: inout JSONWriter) {
        json.array { json in
            for element in self {
                element.encode(into: &json)
            }
        }
    }
}

extension Dictionary: JSONEncodable where Key == String, Value: JSONEncodable {
    /// Writes an object with the members sorted by name, so that equal dictionaries have equal JSON.
    @inlinable
    public func encode(into json: inout JSONWriter) {
        json.object { json in
            for (name, value) in sorted(by: { $0.key < $1.key }) {
                json.member(name: name, value)
            }
        }
    }
}

extension JSONEncodable where Self: RawRepresentable, RawValue: JSONEncodable {
    /// Writes the raw value.
    @inlinable
    public func encode(into json: inout JSONWriter) {
        rawValue.encode(into: &json)
    }
}

extension JSONValue: JSONEncodable {
    public func encode(into json: inout JSONWriter) {
        switch self {
        case .null: json.null()
        case .bool(let value): json.bool(value)
        case .integer(let value): json.integer(value)
        case .number(let number): json.raw(number.text.utf8)
        case .string(let text): json.string(text)
        case .array(let elements): elements.encode(into: &json)
        case .object(let object): object.encode(into: &json)
        }
    }
}

extension JSONObject: JSONEncodable {
    public func encode(into json: inout JSONWriter) {
        json.object { json in
            for (name, value) in self {
                json.member(name: name, value)
            }
        }
    }
}

extension Subject: JSONEncodable {
    @usableFromInline
    package func encode(into json: inout JSONWriter) { json.string(text) }
}

extension JSONWriter {
    /// Writes a member. The name is written without escaping, so it must not contain quotes, backslashes or control characters.
    @inlinable @inline(__always)
    package mutating func member(_ name: StaticString, _ value: some JSONEncodable) {
        self.name(name)
        value.encode(into: &self)
    }

    /// Writes a member, unless the value is nil.
    @inlinable @inline(__always)
    package mutating func member(_ name: StaticString, ifPresent value: (some JSONEncodable)?) {
        if let value {
            member(name, value)
        }
    }

    /// Writes a member whose value is encoded JSON. It is not validated.
    @inlinable
    package mutating func member(_ name: StaticString, raw json: some Collection<UInt8>) {
        self.name(name)
        raw(json)
    }

    /// Writes a member whose value is an object.
    @inlinable
    package mutating func member(_ name: StaticString, object members: (inout JSONWriter) -> Void) {
        self.name(name)
        object(members)
    }

    /// Writes a member whose value is an array.
    @inlinable
    package mutating func member(_ name: StaticString, array elements: (inout JSONWriter) -> Void) {
        self.name(name)
        array(elements)
    }

    /// Writes a member whose name is not a constant.
    @inlinable
    package mutating func member(name: String, _ value: some JSONEncodable) {
        self.name(name)
        value.encode(into: &self)
    }

    /// Writes a member's name. Exactly one value must follow.
    @inlinable @inline(__always)
    package mutating func name(_ name: StaticString) {
        guard name.hasPointerRepresentation else { return self.name(name.description) }
        assert(!name.description.utf8.contains { $0 < Byte.space || $0 == Byte.quote || $0 == Byte.backslash })
        let length = name.utf8CodeUnitCount
        append(upTo: length + 3, startsList: true) { target in
            target.pointee = Byte.quote
            Self.copy(name.utf8Start, to: target + 1, count: length)
            target[length + 1] = Byte.quote
            target[length + 2] = Byte.colon
            return length + 3
        }
    }

    /// Writes a member's name. Exactly one value must follow.
    @inlinable
    package mutating func name(_ name: String) {
        string(name)
        needsComma = false
        append(upTo: 1, startsList: true) { target in
            target.pointee = Byte.colon
            return 1
        }
    }

    /// Copies a few bytes inline. With a constant count this compiles to a few store instructions.
    @inlinable @inline(__always)
    static func copy(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, count: Int) {
        guard count >= 8 else {
            for offset in 0..<count {
                target[offset] = source[offset]
            }
            return
        }
        var offset = 0
        while offset + 8 < count {
            copyWord(source + offset, to: target + offset)
            offset += 8
        }
        // The last word may overlap the one before.
        copyWord(source + (count - 8), to: target + (count - 8))
    }

    @inlinable @inline(__always)
    static func copyWord(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) {
        let word = UnsafeRawPointer(source).loadUnaligned(as: UInt64.self)
        UnsafeMutableRawPointer(target).storeBytes(of: word, as: UInt64.self)
    }
}
