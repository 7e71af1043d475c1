extension JSONPatch {
    /// How many bytes all copies of one patch may add to a document, counted as encoded. A few copies of copies would
    /// else fill any memory.
    public static let mostCopiedBytes = 1 << 20

    /// Makes all changes, or none.
    ///
    /// Each change takes time linear in the members or elements beside it and in the value that it moves.
    /// - Parameter document: what to change; where an error is thrown it stays as it was.
    public func apply(to document: inout JSONValue) throws(JSONPatchError) {
        var patched = PatchedDocument(document)
        for (index, operation) in operations.enumerated() {
            do throws(JSONPatchError.Kind) {
                try patched.apply(operation)
            } catch {
                throw JSONPatchError(error, operation: index)
            }
        }
        document = patched.root
    }
}

/// A document to which operations are applied. After an error it may be half changed.
private struct PatchedDocument {
    private(set) var root: JSONValue
    private var copyable = JSONPatch.mostCopiedBytes

    init(_ root: JSONValue) {
        self.root = root
    }

    mutating func apply(_ operation: JSONPatch.Operation) throws(JSONPatchError.Kind) {
        switch operation {
        case .add(let path, let value): try add(value, path)
        case .remove(let path): _ = try remove(path)
        case .replace(let path, let value): try replace(path, value)
        case .move(let source, let target): try move(source, target)
        case .copy(let source, let target): try copy(source, target)
        case .test(let path, let value):
            guard try self.value(path).isWorth(value) else { throw .testFailed }
        }
    }

    private func value(_ path: JSONPointer) throws(JSONPatchError.Kind) -> JSONValue {
        guard let value = path.value(in: root) else { throw .noTarget }
        return value
    }

    private mutating func add(_ value: JSONValue, _ path: JSONPointer) throws(JSONPatchError.Kind) {
        try checkDepth(of: value, at: path)
        guard let token = path.tokens.last else {
            root = value
            return
        }
        try root.edit(path.tokens.dropLast()) { (parent) throws(JSONPatchError.Kind) in
            try parent.insert(value, at: token)
        }
    }

    private mutating func remove(_ path: JSONPointer) throws(JSONPatchError.Kind) -> JSONValue {
        guard let token = path.tokens.last else { throw .removesDocument }
        return try root.edit(path.tokens.dropLast()) { (parent) throws(JSONPatchError.Kind) in
            try parent.remove(token)
        }
    }

    private mutating func replace(_ path: JSONPointer, _ value: JSONValue) throws(JSONPatchError.Kind) {
        try checkDepth(of: value, at: path)
        try root.edit(path.tokens[...]) { $0 = value }
    }

    private func checkDepth(of value: JSONValue, at path: JSONPointer) throws(JSONPatchError.Kind) {
        var extent = EncodedSize()
        extent.add(value)
        guard path.tokens.count + extent.depth <= JSONValue.deepestNesting else { throw .tooDeep }
    }

    private mutating func move(_ source: JSONPointer, _ target: JSONPointer) throws(JSONPatchError.Kind) {
        guard source != target else {
            _ = try value(source)
            return
        }
        let start = JSONPointer(tokens: Array(target.tokens.prefix(source.tokens.count)))
        guard start != source else { throw .movesIntoItself }
        try add(try remove(source), target)
    }

    private mutating func copy(_ source: JSONPointer, _ target: JSONPointer) throws(JSONPatchError.Kind) {
        let value = try value(source)
        var extent = EncodedSize(limit: copyable)
        extent.add(value)
        guard !extent.isOverLimit else { throw .tooLarge }
        copyable -= extent.bytes
        try add(value, target)
    }
}

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
