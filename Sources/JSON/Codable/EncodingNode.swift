/// A value that is being encoded, with its nested values as a tree.
///
/// It is the slow way for values that an ``EncodingStream`` cannot write; see there.
final class EncodingNode {
    private enum Content {
        case nothing
        case scalar([UInt8])
        /// The value of a single value container, which is not a scalar.
        case wrapped(EncodingNode)
        case array([EncodingNode])
        case object([(name: String, value: EncodingNode)])
        /// The value could not be encoded.
        case failed
    }

    private let step: JSONKey?
    private let parent: EncodingNode?
    private let depth: Int
    private let calls: Int
    private var content = Content.nothing
    /// The index of each name.
    private var indices: [CodePointString: Int] = [:]
    private var entryLength = 0

    init(step: JSONKey?, parent: EncodingNode?) {
        self.step = step
        self.parent = parent
        depth = (parent?.depth ?? 0) + (step == nil ? 0 : 1)
        calls = (parent?.calls ?? 0) + 1
    }

    var path: [any CodingKey] { (parent?.path ?? []) + (step.map { [$0] } ?? []) }

    var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        var json = JSONWriter(reservingCapacity: 32)
        guard !json.scalar(value) else {
            content = .scalar(json.finish())
            return
        }
        guard depth < CodableLimit.containers, calls < CodableLimit.encodingCalls else {
            throw error("The value is nested too deeply for JSON.")
        }
        entryLength = hashOrderedEntryLength(of: Value.self)
        do { try value.encode(to: ValueEncoder(.node(self))) } catch {
            content = .failed
            throw error
        }
    }

    func encodeSingle(_ value: some Encodable) throws {
        try requireNothing()
        let node = EncodingNode(step: nil, parent: self)
        try node.encode(value)
        content = .wrapped(node)
    }

    func encodeNil() throws {
        try requireNothing()
        content = .scalar(Array("null".utf8))
    }

    /// Begins an object or an array, or continues it.
    ///
    /// - Returns: The node to which the container may write: this one, or one that is not part of the tree if another
    ///   value was encoded here.
    func open(isArray: Bool) -> EncodingNode {
        switch content {
        case .nothing: content = isArray ? .array([]) : .object([])
        case .array where isArray: break
        case .object where !isArray: break
        default:
            let node = EncodingNode(step: nil, parent: self)
            node.content = .failed
            return node
        }
        return self
    }

    /// A new element, or a new value of the member with that name.
    func child(_ name: String?) throws -> EncodingNode {
        let child = EncodingNode(step: name.map(JSONKey.init) ?? JSONKey(count), parent: self)
        switch content {
        case .array(var elements):
            content = .nothing
            elements.append(child)
            content = .array(elements)
        case .object(var members):
            let name = name ?? ""
            content = .nothing
            if let index = indices[CodePointString(name)] {
                members[index].value = child
            } else {
                indices[CodePointString(name)] = members.count
                members.append((name, child))
            }
            content = .object(members)
        default:
            throw error("Two values are encoded in one place.")
        }
        return child
    }

    private func requireNothing() throws {
        guard case .nothing = content else { throw error("Two values are encoded in one place.") }
    }

    private func error(_ sentence: String) -> EncodingError {
        .invalidValue(self, .init(codingPath: path, debugDescription: sentence))
    }
}

extension EncodingNode {
    private var hasFailed: Bool {
        if case .failed = content { true } else { false }
    }

    func write(into json: inout JSONWriter) {
        switch content {
        case .nothing, .failed: json.object { _ in }
        case .scalar(let text): json.raw(text)
        case .wrapped(let node): node.write(into: &json)
        case .array(let elements):
            json.array { json in for text in Self.sorted(elements, by: entryLength) { json.raw(text) } }
        case .object(let members):
            let present = members.filter { !$0.value.hasFailed }
            json.object { json in
                for member in entryLength > 0
                    ? present.sorted(by: { CodePointString($0.name) < CodePointString($1.name) }) : present
                {
                    json.name(member.name)
                    member.value.write(into: &json)
                }
            }
        }
    }

    /// The JSON of the elements, those of one entry joined by commas.
    private static func sorted(_ elements: [EncodingNode], by length: Int) -> [[UInt8]] {
        let texts = elements.filter { !$0.hasFailed }.map { element in
            var json = JSONWriter(reservingCapacity: 32)
            element.write(into: &json)
            return json.finish()
        }
        guard length > 0 else { return texts }
        let entries = stride(from: 0, to: texts.count, by: length).map { start in
            Array(texts[start..<min(start + length, texts.count)].joined(separator: [Byte.comma]))
        }
        return entries.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
