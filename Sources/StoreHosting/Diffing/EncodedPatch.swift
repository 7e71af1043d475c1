public import JSON

/// The changes of a state by one or more commits: a JSON Patch (RFC 6902) of `add`, `remove`, `replace` and
/// `move`.
@usableFromInline
package struct EncodedPatch: Sendable, Equatable {
    /// One change.
    @usableFromInline
    package struct Operation: Sendable, Equatable {
        /// The operation at the path.
        @usableFromInline
        package enum Kind: String, Sendable {
            /// Sets a member, or inserts an element before the one at the index.
            case add
            /// Removes the value.
            case remove
            /// Replaces the value.
            case replace
            /// Removes the value at `from` and adds it at the path.
            case move
        }

        /// The kind of operation.
        package let kind: Kind
        /// The location: a JSON Pointer (RFC 6901).
        package let path: String
        /// The location of the value that is moved, a JSON Pointer; nil for all other kinds.
        package let from: String?
        /// The new value as JSON, in UTF-8; empty for `remove` and `move`.
        package let value: [UInt8]

        /// An operation at `path`, which does not move.
        package init(_ kind: Kind, _ path: String, _ value: [UInt8] = []) {
            self.init(kind, path, from: nil, value)
        }

        /// A `move`.
        package init(movingFrom from: String, to path: String) {
            self.init(.move, path, from: from, [])
        }

        /// Whether they are the same to the byte of their paths.
        @usableFromInline
        package static func == (one: Operation, other: Operation) -> Bool {
            one.kind == other.kind && one.value == other.value && one.path.utf8.elementsEqual(other.path.utf8)
                && (one.from ?? "").utf8.elementsEqual((other.from ?? "").utf8)
        }

        private init(_ kind: Kind, _ path: String, from: String?, _ value: [UInt8]) {
            self.kind = kind
            self.path = path
            self.from = from
            self.value = value
        }
    }

    /// The operations in order; empty if the states are equal.
    package internal(set) var operations: [Operation]

    /// Takes the operations as they are.
    package init(_ operations: [Operation] = []) { self.operations = operations }

    /// Whether nothing has changed.
    package var isEmpty: Bool { operations.isEmpty }

    /// Appends the changes of `other`.
    package mutating func append(_ other: EncodedPatch) {
        if operations.isEmpty { operations = other.operations } else { operations += other.operations }
    }

    /// Appends one change. Most patches have one, and growing an empty array takes three times as long as making one.
    mutating func append(_ operation: Operation) {
        if operations.isEmpty { operations = [operation] } else { operations.append(operation) }
    }

    /// The patched state, as JSON; nil if the patch does not fit the state.
    package func applied(to state: JSONValue) -> JSONValue? {
        var state = state
        // Written as a guard: in a conditional expression, `nil` would be the JSON value `null`.
        guard apply(to: &state) else { return nil }
        return state
    }

    /// Patches a state in place.
    ///
    /// - Returns: false if the patch does not fit the state, which then stays as it was.
    package func apply(to state: inout JSONValue) -> Bool {
        do {
            let json = try JSONValue(parsing: encoded(), maximumDepth: JSONValue.maxDepth)
            try JSONPatch(json).apply(to: &state)
            return true
        } catch {
            return false
        }
    }

    /// Patches a state in place, in a time that does not depend on its size.
    ///
    /// - Returns: false if the patch does not fit the state, which must be dropped then: it may have some of the changes.
    package func replay(on state: inout JSONValue) -> Bool {
        do {
            try state.replay(JSONPatch(JSONValue(parsing: encoded(), maximumDepth: JSONValue.maxDepth)))
            return true
        } catch {
            return false
        }
    }
}

extension EncodedPatch {
    /// Parses a JSON Patch; nil if it is malformed, or has operations other than these four.
    ///
    /// - Parameter json: a JSON Patch in UTF-8.
    package init?(json: [UInt8]) {
        guard case .array(let elements)? = try? JSONValue(parsing: json, maximumDepth: JSONValue.maxDepth) else {
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

extension EncodedPatch.Operation {
    fileprivate init?(_ json: JSONValue) {
        guard let kind = json["op"]?.asString.flatMap(Kind.init), let path = json["path"]?.asString else { return nil }
        switch kind {
        case .remove: self.init(kind, path)
        case .move:
            guard let from = json["from"]?.asString else { return nil }
            self.init(movingFrom: from, to: path)
        case .add, .replace:
            guard let value = json["value"] else { return nil }
            self.init(kind, path, value.encoded())
        }
    }
}

extension EncodedPatch: JSONEncodable {
    @usableFromInline
    package func encode(into json: inout JSONWriter) {
        json.array { json in
            for operation in operations { operation.encode(into: &json) }
        }
    }
}

extension EncodedPatch.Operation: JSONEncodable {
    @usableFromInline
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("op", kind.rawValue)
            json.member("from", ifPresent: from)
            json.member("path", path)
            if kind == .add || kind == .replace { json.member("value", raw: value) }
        }
    }
}

extension EncodedPatch {
    /// The patch from one JSON value to another; its paths begin with `path`.
    package init(from old: some Collection<UInt8>, to new: some Collection<UInt8>, at path: String = "") {
        self.init()
        guard Self.mayHaveMembers(new), new.first == old.first,
            let old = try? JSONValue(parsing: Array(old)), let after = try? JSONValue(parsing: Array(new))
        else {
            // Only arrays and objects are compared member by member.
            if !old.elementsEqual(new) { operations.append(Operation(.replace, path, Array(new))) }
            return
        }
        for operation in JSONPatch(from: old, to: after).operations {
            operations.append(Operation(operation, below: path))
        }
    }

    /// The patch from one object to another that has the same members; otherwise it replaces the object.
    init(fromObject old: [UInt8], to new: [UInt8], at path: String) {
        self.init()
        let changes = old.withUnsafeBytes { old in
            new.withUnsafeBytes { new in EncodedMembers.changes(from: old, to: new) }
        }
        guard let changes else {
            append(Operation(.replace, path, new))
            return
        }
        for change in changes {
            let place = path + JSONPointer(tokens: [change.name]).description
            append(EncodedPatch(from: old[change.old], to: new[change.new], at: place))
        }
    }

    /// Whether the JSON is an array or an object.
    static func mayHaveMembers(_ json: some Collection<UInt8>) -> Bool {
        json.first == UInt8(ascii: "{") || json.first == UInt8(ascii: "[")
    }
}

extension EncodedPatch.Operation {
    fileprivate init(_ operation: JSONPatch.Operation, below path: String) {
        switch operation {
        case .add(let place, let value): self.init(.add, path + place.description, value.encoded())
        case .remove(let place): self.init(.remove, path + place.description)
        case .replace(let place, let value): self.init(.replace, path + place.description, value.encoded())
        case .move(let from, let place):
            self.init(movingFrom: path + from.description, to: path + place.description)
        }
    }
}

extension EncodedPatch {
    /// The projection of a patch of the whole state onto a part of the state.
    @usableFromInline
    package enum Projection: Sendable, Equatable {
        /// The part has not changed.
        case unchanged
        /// The changes of the part.
        case patch(EncodedPatch)
        /// The value of the part, which may be the same as before: a larger part was replaced.
        case value([UInt8])
        /// The patch does not contain the value of the part, which may have changed.
        case needsValue
    }

    /// Projects the patch onto the part that `pointer` finds.
    package func projected(to pointer: JSONPointer) -> Projection {
        guard !pointer.tokens.isEmpty else { return isEmpty ? .unchanged : .patch(self) }
        let base = pointer.description
        var descendants: [Operation] = []
        var replacement: [UInt8]?
        for operation in operations {
            switch operation.relation(to: base, pointer) {
            case .disjoint: continue
            case .descendant where replacement != nil: return .needsValue
            case .descendant: descendants.append(operation.moved(out: base))
            case .replacement(let depth):
                replacement = JSONPointer(tokens: Array(pointer.tokens[depth...])).found(in: operation.value)
            case .removal: replacement = Array("null".utf8)
            case .shift: return .needsValue
            }
        }
        if let replacement { return .value(replacement) }
        return descendants.isEmpty ? .unchanged : .patch(EncodedPatch(descendants))
    }
}

extension EncodedPatch.Operation {
    /// The relation of an operation on the whole state to a part of it.
    fileprivate enum Relation {
        /// It leaves the part alone.
        case disjoint
        /// It changes the part inside.
        case descendant
        /// Its value contains the part, below the first `depth` tokens of the part's pointer.
        case replacement(depth: Int)
        case removal
        /// It may move the elements of an array on the way to the part, or the part itself.
        case shift
    }

    fileprivate func relation(to base: String, _ pointer: JSONPointer) -> Relation {
        guard let from else { return Self.relation(of: kind, at: path, to: base, pointer) }
        let removal = Self.relation(of: .remove, at: from, to: base, pointer)
        switch (removal, Self.relation(of: .add, at: path, to: base, pointer)) {
        case (.disjoint, .disjoint): return .disjoint
        case (.descendant, .descendant): return .descendant
        // The patch does not have the value that is moved.
        default: return .shift
        }
    }

    private static func relation(of kind: Kind, at path: String, to base: String, _ pointer: JSONPointer) -> Relation {
        func replacement(_ depth: Int) -> Relation { kind == .remove ? .removal : .replacement(depth: depth) }
        if path.utf8.starts(with: base.utf8) {
            let rest = path.utf8.dropFirst(base.utf8.count)
            if rest.first == slash { return .descendant }
            if rest.isEmpty {
                // Adding or removing at the location itself may shift the elements of an array.
                if kind == .replace { return .descendant }
                return shifts(base, kind, path) ? .shift : replacement(pointer.tokens.count)
            }
        }
        if path.isEmpty { return replacement(0) }
        if shifts(base, kind, path) { return .shift }
        let isAncestor =
            base.utf8.starts(with: path.utf8) && base.utf8.dropFirst(path.utf8.count).first == slash
        return isAncestor ? replacement(path.utf8.count { $0 == slash }) : .disjoint
    }

    /// Whether an operation may move the elements of an array on the way to `base`, or the one that it is: it adds or
    /// removes an element that is not behind it.
    private static func shifts(_ base: String, _ kind: Kind, _ path: String) -> Bool {
        guard kind != .replace, let slash = path.utf8.lastIndex(of: Self.slash),
            let index = Int(path[path.utf8.index(after: slash)...]), base.utf8.starts(with: path.utf8[...slash])
        else { return false }
        let position = base.utf8.dropFirst(path.utf8[...slash].count).prefix { $0 != Self.slash }
        return Int(Substring(position)).map { $0 >= index } ?? false
    }

    fileprivate func moved(out base: String) -> EncodedPatch.Operation {
        func inner(_ path: String) -> String { String(path.utf8.dropFirst(base.utf8.count)) ?? "" }
        if let from { return EncodedPatch.Operation(movingFrom: inner(from), to: inner(path)) }
        return Self(kind, inner(path), value)
    }

    private static let slash = UInt8(ascii: "/")
}
