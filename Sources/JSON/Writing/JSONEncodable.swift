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
    public func encoded(reservingCapacity capacity: Int = 256) -> [UInt8] {
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
