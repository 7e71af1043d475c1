extension JSONPatch {
    /// Makes all changes, or none.
    ///
    /// Setting and removing a member takes amortized constant time, and inserting and removing an element takes time
    /// linear in the elements behind it. A patch of several operations copies the objects and arrays that it changes.
    /// - Parameter document: what to change. It stays as it was if an error is thrown.
    package func apply(to document: inout JSONValue) throws(JSONPatchError) {
        // A single operation makes its change or none, so it needs no copy to fall back on. A `move` is two changes.
        if let first = operations.first, operations.count == 1, first.from == nil {
            return try first.apply(to: &document, index: 0)
        }
        var patched = document
        try patched.replay(self)
        document = patched
    }
}

extension JSONValue {
    /// Makes the changes of a patch one by one, without the copies that ``JSONPatch/apply(to:)`` may need to make all of them or none.
    /// This is for whoever drops the document if an error is thrown: then it may have some of the changes.
    package mutating func replay(_ patch: JSONPatch) throws(JSONPatchError) {
        for (index, operation) in patch.operations.enumerated() {
            try operation.apply(to: &self, index: index)
        }
    }
}

extension JSONPatch.Operation {
    fileprivate func apply(to document: inout JSONValue, index: Int) throws(JSONPatchError) {
        do throws(JSONPatchError.Kind) {
            try apply(to: &document)
        } catch {
            throw JSONPatchError(error, operation: index)
        }
    }

    private func apply(to document: inout JSONValue) throws(JSONPatchError.Kind) {
        let parents = path.tokens.dropLast()
        switch (self, path.tokens.last) {
        case (.move(let from, _), _):
            try move(from: from, in: &document)
        case (.add(_, let value), nil), (.replace(_, let value), nil):
            try checkDepth(of: value)
            document = value
        case (.remove, nil):
            throw .removesDocument
        case (.add(_, let value), let token?):
            try checkDepth(of: value)
            try document.edit(parents) { (parent) throws(JSONPatchError.Kind) in try parent.insert(value, at: token) }
        case (.replace(_, let value), .some):
            try checkDepth(of: value)
            try document.edit(path.tokens[...]) { $0 = value }
        case (.remove, let token?):
            try document.edit(parents) { (parent) throws(JSONPatchError.Kind) in _ = try parent.remove(token) }
        }
    }

    /// Changes nothing if there is no value at `from`; may leave it removed if it cannot be added.
    private func move(from: JSONPointer, in document: inout JSONValue) throws(JSONPatchError.Kind) {
        guard let token = from.tokens.last else {
            throw path.tokens.isEmpty ? .removesDocument : .movesIntoItself
        }
        let isInside = zip(from.tokens, path.tokens).allSatisfy { CodePointString($0) == CodePointString($1) }
        guard !isInside || path.tokens.count <= from.tokens.count else { throw .movesIntoItself }
        var moved: JSONValue?
        try document.edit(from.tokens.dropLast()) { (parent) throws(JSONPatchError.Kind) in
            moved = try parent.remove(token)
        }
        guard let moved = consume moved else { throw .noTarget }
        try JSONPatch.Operation.add(path, moved).apply(to: &document)
    }

    private func checkDepth(of value: JSONValue) throws(JSONPatchError.Kind) {
        var size = EncodedSize()
        size.add(value)
        guard path.tokens.count + size.depth <= JSONValue.maxDepth else { throw .tooDeep }
    }
}

extension JSONValue {
    /// Changes a value in place, or throws and changes nothing.
    ///
    /// - Parameters:
    ///   - tokens: the path to the value.
    ///   - change: gets the value; must leave it as it was if it throws.
    fileprivate mutating func edit(
        _ tokens: ArraySlice<String>, _ change: (inout JSONValue) throws(JSONPatchError.Kind) -> Void
    ) throws(JSONPatchError.Kind) {
        guard let token = tokens.first else { return try change(&self) }
        let rest = tokens.dropFirst()
        if var object = takeObject() {
            defer { self = .object(object) }
            guard let slot = object.slot(of: token) else { throw .noTarget }
            try object.changeValue(inSlot: slot) { (value) throws(JSONPatchError.Kind) in
                try value.edit(rest, change)
            }
        } else if var elements = takeArray() {
            defer { self = .array(elements) }
            try elements[Self.index(token, below: elements.count)].edit(rest, change)
        } else {
            throw .noTarget
        }
    }

    fileprivate mutating func insert(_ value: JSONValue, at token: String) throws(JSONPatchError.Kind) {
        if var object = takeObject() {
            defer { self = .object(object) }
            object[token] = value
        } else if var elements = takeArray() {
            defer { self = .array(elements) }
            let index = try token == "-" ? elements.count : Self.index(token, below: elements.count + 1)
            elements.insert(value, at: index)
        } else {
            throw .noTarget
        }
    }

    fileprivate mutating func remove(_ token: String) throws(JSONPatchError.Kind) -> JSONValue {
        if var object = takeObject() {
            defer { self = .object(object) }
            guard case .some(let value) = object.removeValue(forName: token) else { throw .noTarget }
            return value
        } else if var elements = takeArray() {
            defer { self = .array(elements) }
            return elements.remove(at: try Self.index(token, below: elements.count))
        } else {
            throw .noTarget
        }
    }

    /// Moves the members out and leaves `null`, so that the caller has the only reference and changes them without a
    /// copy; nil if this is not an object.
    private mutating func takeObject() -> JSONObject? {
        guard case .object(let object) = self else { return nil }
        self = .null
        return object
    }

    /// Moves the elements out like ``takeObject()``; nil if this is not an array.
    private mutating func takeArray() -> [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        self = .null
        return elements
    }

    private static func index(_ token: String, below end: Int) throws(JSONPatchError.Kind) -> Int {
        guard let index = JSONPointer.index(token), index < end else { throw .noTarget }
        return index
    }
}
