public import JSON
public import Stores

/// Visits the members of a state and finds what has changed since the visit before.
///
/// It takes time in the size of the members that have no stamp, or a fresh one, and in the number of changes.
public struct StateDiffer: ~Copyable {
    @usableFromInline var trace: EncodedBaseline
    @usableFromInline var patch = EncodedPatch()
    /// The member at hand as JSON.
    @usableFromInline var scratch = JSONWriter(reservingCapacity: 128)
    /// The way to the object at hand.
    @usableFromInline var path: [StaticString] = []
    /// How many members, and how many stamps, were visited.
    private var members = 0
    private var stamps = 0

    init(_ trace: EncodedBaseline) { self.trace = trace }

    /// What was found, and the writer, which is of no use here any more.
    consuming func finish() -> DiffResult { DiffResult(patch, scratch) }

    /// Looks at a state that names no members: everything is compared.
    @inlinable
    public mutating func whole(_ state: some JSONEncodable) {
        scratch.clear()
        state.encode(into: &scratch)
        compare(nil)
    }

    /// Compares what is in `scratch` with what stood there.
    @usableFromInline
    mutating func compare(_ name: StaticString?) {
        let member = members
        let range = trace.range(of: member)
        members += 1
        scratch.withBytes { new in
            if let range {
                if trace.holds(UnsafeRawBufferPointer(new), at: range) { return }
                patch.append(EncodedPatch(from: trace.bytes[range], to: new, at: name.map { text(of: $0) } ?? ""))
            }
            trace.set(member, at: range, to: new)
        }
    }

    /// - Returns: whether the member is what it was.
    @usableFromInline
    mutating func skips(_ stamp: ChangeToken) -> Bool {
        guard exchange(stamp) == stamp else { return false }
        members += 1
        return true
    }

    /// - Returns: the stamp of the visit before; nil at the first.
    @usableFromInline
    mutating func exchange(_ stamp: ChangeToken) -> ChangeToken? {
        stamps += 1
        return trace.exchange(stamps - 1, stamp)
    }

    @usableFromInline
    func text(of name: StaticString) -> String {
        var text: [UInt8] = []
        for step in path + CollectionOfOne(name) {
            text.append(UInt8(ascii: "/"))
            step.withUTF8Buffer { text.append(contentsOf: $0) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension StateDiffer: MemberVisitor {
    @inlinable
    public mutating func member(_ name: StaticString, _ value: some JSONEncodable) {
        scratch.clear()
        value.encode(into: &scratch)
        compare(name)
    }

    @inlinable
    public mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: ChangeToken) {
        if !skips(stamp) { member(name, value) }
    }

    @inlinable
    public mutating func member(_ name: StaticString, _ part: some ObjectState) {
        path.append(name)
        part.visit(&self)
        path.removeLast()
    }
}

/// What has changed in a state.
struct DiffResult: ~Copyable {
    let patch: EncodedPatch
    /// To be used again.
    private var writer: JSONWriter

    init(_ patch: EncodedPatch, _ writer: consuming JSONWriter) {
        self.patch = patch
        self.writer = writer
        self.writer.clear()
    }

    /// The writer, without text.
    consuming func rest() -> JSONWriter { writer }
}

extension StateDiffer {
    @inlinable
    public mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
        guard let before = exchange(table.stamp), before != table.stamp else { return }
        let (entities, ids) = (text(of: "entities"), text(of: "ids"))
        guard let delta = table.changes(since: before) else {
            // The log does not reach back that far.
            add(.replace, entities) { json in
                json.object { json in
                    for entity in table.ordered { json.member(name: entity.id.description, entity) }
                }
            }
            return add(.replace, ids) { json in
                json.array { json in
                    for id in table.ids { json.value(id) }
                }
            }
        }
        changeEntities(delta, of: table, at: entities)
        changeOrder(delta, at: ids)
    }

    @inlinable
    mutating func changeEntities<Entity>(
        _ delta: EntityDelta<Entity.ID>, of table: EntityTable<Entity>, at path: String
    ) where Entity: JSONEncodable, Entity.ID: LosslessStringConvertible {
        for place in delta.removed { add(.remove, path + Self.step(place.id)) }
        for id in delta.updated { add(.replace, path + Self.step(id)) { $0.value(table[id]) } }
        for place in delta.inserted { add(.add, path + Self.step(place.id)) { $0.value(table[place.id]) } }
    }

    /// The highest old index goes first, then the lowest new one comes first.
    @inlinable
    mutating func changeOrder<ID: Hashable & Sendable & JSONEncodable>(_ delta: EntityDelta<ID>, at path: String) {
        let gone = delta.removed.map { $0.index } + delta.moved.map { $0.from }
        for index in gone.sorted(by: >) { add(.remove, path + "/\(index)") }
        let come = delta.inserted.map { ($0.index, $0.id) } + delta.moved.map { ($0.to, $0.id) }
        for (index, id) in come.sorted(by: { $0.0 < $1.0 }) { add(.add, path + "/\(index)") { $0.value(id) } }
    }

    @usableFromInline
    mutating func add(
        _ kind: EncodedPatch.Operation.Kind, _ path: String, _ write: (inout JSONWriter) -> Void = { _ in }
    ) {
        scratch.clear()
        write(&scratch)
        patch.operations.append(EncodedPatch.Operation(kind, path, scratch.bytes))
    }

    @usableFromInline
    static func step(_ id: some LosslessStringConvertible) -> String {
        JSONPointer(tokens: [id.description]).description
    }
}
