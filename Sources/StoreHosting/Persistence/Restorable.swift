public import JSON

/// A value that can be restored from its own JSON, so that it outlives the process.
///
/// Numbers, texts, and arrays and dictionaries of such values are. A type of your own is if it is a ``StoreValue``.
public protocol Restorable {
    /// Restores a persisted value.
    init(restoring persisted: JSONValue.Persisted) throws(RestorationError)

    /// Encodes the private members: always the same ones, in the same order. By default there are none.
    func encodePrivate(into members: inout JSONValue.PrivateEncoder)
}

extension Restorable {
    @inlinable
    public func encodePrivate(into members: inout JSONValue.PrivateEncoder) {}
}

extension Restorable where Self: RawRepresentable, RawValue: Restorable {
    /// Restores the value from its raw value.
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        guard let value = Self(rawValue: try RawValue(restoring: persisted)) else {
            throw persisted.unreadable("is none of the values that there are")
        }
        self = value
    }
}

extension String: Restorable {
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        guard let text = persisted.json.asString else { throw persisted.unreadable("must be a string") }
        self = text
    }
}

extension Int: Restorable {
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        guard let number = persisted.json.asInteger else { throw persisted.unreadable("must be an integer of 64 bits") }
        self = number
    }
}

extension Bool: Restorable {
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        guard let flag = persisted.json.asBool else { throw persisted.unreadable("must be true or false") }
        self = flag
    }
}

extension Double: Restorable {
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        switch persisted.json {
        case .integer(let number): self = Double(number)
        case .number(let number):
            guard let value = number.double else { throw persisted.unreadable("is beyond what a number may be") }
            self = value
        default: throw persisted.unreadable("must be a number")
        }
    }
}

extension JSONValue: Restorable {
    public init(restoring persisted: JSONValue.Persisted) { self = persisted.json }
}

extension Optional: Restorable where Wrapped: Restorable {
    /// Restores nil from `null`.
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        self = persisted.json.isNull ? nil : try Wrapped(restoring: persisted)
    }
}

extension Array: Restorable where Element: Restorable {
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        guard let elements = persisted.json.asArray else { throw persisted.unreadable("must be an array") }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            append(try persisted.read(element, at: String(index)))
        }
    }
}

extension Dictionary: Restorable where Key == String, Value: Restorable {
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        guard let members = persisted.json.asObject else { throw persisted.unreadable("must be an object") }
        self.init(minimumCapacity: members.count)
        for (name, value) in members {
            let value: Value = try persisted.read(value, at: name)
            // JSON tells names apart that are equal in Swift, such as two forms of one letter with an accent.
            guard updateValue(value, forKey: name) == nil else {
                throw persisted.unreadable("is there twice", below: name)
            }
        }
    }
}
