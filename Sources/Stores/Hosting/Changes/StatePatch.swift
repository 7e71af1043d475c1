public import JSON

/// What one or more commits changed in a state: a JSON Patch (RFC 6902) of `add`, `remove` and `replace`.
public struct StatePatch: Sendable, Equatable {
    /// One change.
    public struct Operation: Sendable, Equatable {
        /// What is done at the path.
        public enum Kind: String, Sendable {
            /// Sets a member, or inserts an element before the one at the index.
            case add
            /// Takes away what is there.
            case remove
            /// Puts another value in the place of the one that is there.
            case replace
        }

        /// What is done.
        public let kind: Kind
        /// Where: a JSON Pointer (RFC 6901).
        public let path: String
        /// The value that it brings, as JSON in UTF-8; empty for `remove`.
        public let value: [UInt8]

        /// An operation as it is said.
        public init(_ kind: Kind, _ path: String, _ value: [UInt8] = []) {
            self.kind = kind
            self.path = path
            self.value = value
        }
    }

    /// The changes in the order in which they are made; none where the states are equal.
    public internal(set) var operations: [Operation]

    /// Takes the operations as they are.
    public init(_ operations: [Operation] = []) { self.operations = operations }

    /// Whether nothing has changed.
    public var isEmpty: Bool { operations.isEmpty }

    /// Makes the changes of `other` too, after those of this one.
    public mutating func append(_ other: StatePatch) { operations += other.operations }

    /// The state, as JSON, that comes of another one; nil where this is no patch of it.
    public func applied(to state: JSONValue) -> JSONValue? {
        var state = state
        do {
            let json = try JSONValue(parsing: encoded(), maximumDepth: JSONValue.deepestNesting)
            try JSONPatch(json).apply(to: &state)
        } catch {
            return nil
        }
        return state
    }
}

extension StatePatch {
    /// Reads a patch that was encoded; nil where that is none, or has operations other than these three.
    ///
    /// - Parameter json: a JSON Patch in UTF-8.
    public init?(json: [UInt8]) {
        guard case .array(let elements)? = try? JSONValue(parsing: json, maximumDepth: JSONValue.deepestNesting) else {
            return nil
        }
        var operations: [Operation] = []
        operations.reserveCapacity(elements.count)
        for element in elements {
            guard let operation = Operation(element) else { return nil }
            operations.append(operation)
        }
        self.init(operations)
    }
}

extension StatePatch.Operation {
    fileprivate init?(_ json: JSONValue) {
        guard let kind = json["op"]?.asString.flatMap(Kind.init), let path = json["path"]?.asString else { return nil }
        guard kind != .remove else {
            self.init(kind, path)
            return
        }
        guard let value = json["value"] else { return nil }
        self.init(kind, path, value.encoded())
    }
}

extension StatePatch: JSONEncodable {
    public func encode(into json: inout JSONWriter) {
        json.array { json in
            for operation in operations { operation.encode(into: &json) }
        }
    }
}

extension StatePatch.Operation: JSONEncodable {
    public func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("op", kind.rawValue)
            json.member("path", path)
            if kind != .remove { json.member("value", raw: value) }
        }
    }
}
