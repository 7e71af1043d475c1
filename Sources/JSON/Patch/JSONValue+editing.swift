extension JSONValue {
    /// Changes a value in place.
    ///
    /// - Parameters:
    ///   - tokens: the way to the value.
    ///   - change: gets the value. Where it throws, the value that is edited is spoilt.
    mutating func edit<Result>(
        _ tokens: ArraySlice<String>, _ change: (inout JSONValue) throws(JSONPatchError.Kind) -> Result
    ) throws(JSONPatchError.Kind) -> Result {
        guard let token = tokens.first else { return try change(&self) }
        let rest = tokens.dropFirst()
        switch self {
        case .array(var elements):
            let index = try Self.index(token, in: elements)
            self = .null  // or the elements would be shared, and copied by the change
            let result = try elements[index].edit(rest, change)
            self = .array(elements)
            return result
        case .object(var object):
            guard let position = object.position(of: token) else { throw .noTarget }
            self = .null
            let result = try object.changeValue(at: position) { (value) throws(JSONPatchError.Kind) in
                try value.edit(rest, change)
            }
            self = .object(object)
            return result
        default: throw .noTarget
        }
    }

    /// Sets a member, or inserts an element.
    mutating func insert(_ value: JSONValue, at token: String) throws(JSONPatchError.Kind) {
        switch self {
        case .array(var elements):
            let index = token == "-" ? elements.count : JSONPointer.index(token)
            guard let index, index <= elements.count else { throw .noTarget }
            self = .null
            elements.insert(value, at: index)
            self = .array(elements)
        case .object(var object):
            self = .null
            object[token] = value
            self = .object(object)
        default: throw .noTarget
        }
    }

    /// Takes away a member or an element, which must be there.
    mutating func remove(_ token: String) throws(JSONPatchError.Kind) -> JSONValue {
        switch self {
        case .array(var elements):
            let index = try Self.index(token, in: elements)
            self = .null
            defer { self = .array(elements) }
            return elements.remove(at: index)
        case .object(var object):
            guard let value = object[token] else { throw .noTarget }
            self = .null
            object[token] = nil
            self = .object(object)
            return value
        default: throw .noTarget
        }
    }

    private static func index(_ token: String, in elements: [JSONValue]) throws(JSONPatchError.Kind) -> Int {
        guard let index = JSONPointer.index(token), index < elements.count else { throw .noTarget }
        return index
    }
}
