public import JSON
public import Stores

/// Finds the changes of a state since the previous visit of its members.
///
/// The time is proportional to the size of the members without a token or with a new one, plus the number of changes.
public struct StateDiffer: ~Copyable {
    @usableFromInline var baseline: EncodedBaseline
    @usableFromInline var patch = EncodedPatch()
    /// The current member as JSON.
    @usableFromInline var scratch = JSONWriter(reservingCapacity: 128)
    /// The path to the current object.
    @usableFromInline var path: [StaticString] = []
    /// By how many bytes the JSON of the state has grown, or more: the size of values that a table no longer has is not
    /// known.
    @usableFromInline var growth = 0
    /// Why a value could not be encoded; nil if all could.
    private(set) var failure: String?
    /// The number of members and of tokens that were visited.
    private var members = 0
    private var tokens = 0

    init(_ baseline: EncodedBaseline) { self.baseline = baseline }

    /// The changes, and the writer for reuse.
    consuming func finish() -> DiffResult { DiffResult(patch, growth, scratch) }

    /// Compares a state that does not declare its members as a whole.
    @inlinable
    public mutating func whole(_ state: some JSONEncodable) {
        scratch.clear()
        state.encode(into: &scratch)
        compare(nil)
    }

    /// Compares the JSON in `scratch` with the baseline of the next member.
    @usableFromInline
    mutating func compare(_ name: StaticString?) {
        if scratch.failure != nil { fail(at: name.map { text(of: $0) } ?? "") }
        let member = members
        let range = baseline.range(of: member)
        members += 1
        scratch.withBytes { new in
            if let range {
                if baseline.isEqual(UnsafeRawBufferPointer(new), at: range) { return }
                growth += new.count - range.count
                patch.append(EncodedPatch(from: baseline.bytes[range], to: new, at: name.map { text(of: $0) } ?? ""))
            }
            baseline.set(member, at: range, to: new)
        }
    }

    private mutating func fail(at path: String) {
        let place = path.isEmpty ? "The state" : "The member \(path) of the state"
        failure = failure ?? scratch.failure.map { "\(place) cannot be encoded: its encode(to:) \($0)" }
    }

    /// - Returns: whether the member is unchanged, in which case it is not encoded.
    @usableFromInline
    mutating func skips(_ token: ChangeToken) -> Bool {
        guard exchange(token) == token else { return false }
        members += 1
        return true
    }

    /// Stores the next token.
    ///
    /// - Returns: the token of the previous visit; nil at the first.
    @usableFromInline
    mutating func exchange(_ token: ChangeToken) -> ChangeToken? {
        tokens += 1
        return baseline.exchange(tokens - 1, token)
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
        self.part(name) { part.visitMembers(&$0) }
    }

    /// Visits an object, whose members `visit` visits.
    @inlinable
    mutating func part(_ name: StaticString, _ visit: (inout StateDiffer) -> Void) {
        path.append(name)
        visit(&self)
        path.removeLast()
    }
}

/// The changes of a state.
struct DiffResult: ~Copyable {
    let patch: EncodedPatch
    let growth: Int
    /// A writer to reuse.
    private var writer: JSONWriter

    init(_ patch: EncodedPatch, _ growth: Int, _ writer: consuming JSONWriter) {
        self.patch = patch
        self.growth = growth
        self.writer = writer
        self.writer.clear()
    }

    /// The empty writer.
    consuming func takeWriter() -> JSONWriter { writer }
}

extension StateDiffer {
    @inlinable
    public mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
        guard let before = exchange(table.stamp), before != table.stamp else { return }
        let (entities, ids) = (text(of: "entities"), text(of: "ids"))
        guard let delta = table.changes(since: before), delta.count <= table.count + 16 else {
            // The log does not contain all changes since then, or a patch of them is longer than the table.
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
        for row in delta.removed { add(.remove, path + Self.step(row.id)) }
        for id in delta.updated { add(.replace, path + Self.step(id)) { $0.value(table[id]) } }
        for row in delta.inserted { add(.add, path + Self.step(row.id)) { $0.value(table[row.id]) } }
    }

    @inlinable
    mutating func changeOrder<ID: Hashable & Sendable & JSONEncodable>(_ delta: EntityDelta<ID>, at path: String) {
        var inserted = delta.inserted.map { ListElement(at: $0.index, from: nil, json: $0.id.encoded()) }
        inserted += delta.moved.map { ListElement(at: $0.to, from: $0.from, json: $0.id.encoded()) }
        changeList(removing: delta.removed.map { $0.index }, inserting: inserted, at: path)
    }

    @usableFromInline
    mutating func changeList(removing removed: [Int], inserting inserted: [ListElement], at path: String) {
        let inserted = inserted.sorted { $0.index < $1.index }
        let values = Dictionary(uniqueKeysWithValues: inserted.map { ($0.index, $0.json) })
        let insertions = inserted.map { ListInsertion(at: $0.index, from: $0.source) }
        for step in ListStep.steps(removing: removed, inserting: insertions) {
            switch step {
            case .remove(let index): add(.remove, path + "/\(index)")
            case .insert(let index, let element):
                guard let value = values[element] else { continue }
                growth += value.count + 1
                patch.operations.append(.init(.add, path + "/\(index)", value))
            case .move(let from, let to):
                patch.operations.append(.init(movingFrom: path + "/\(from)", to: path + "/\(to)"))
            }
        }
    }

    @usableFromInline
    mutating func add(
        _ kind: EncodedPatch.Operation.Kind, _ path: String, _ write: (inout JSONWriter) -> Void = { _ in }
    ) {
        scratch.clear()
        write(&scratch)
        if scratch.failure != nil { fail(at: path) }
        let value = scratch.bytes
        // The path is longer than the name of a new member, and there are quotes, a colon and a comma.
        growth += value.count + (kind == .add ? path.utf8.count + 4 : 0)
        patch.operations.append(EncodedPatch.Operation(kind, path, value))
    }

    @usableFromInline
    static func step(_ id: some LosslessStringConvertible) -> String {
        JSONPointer(tokens: [id.description]).description
    }
}

/// A state that cannot be encoded, because the `encode(to:)` of a value throws.
struct EncodingFailure: Error, CustomStringConvertible {
    let description: String
}

/// An element that a list gets, as JSON; and its old index, if it is moved.
@usableFromInline
struct ListElement {
    let index: Int
    let source: Int?
    let json: [UInt8]

    @usableFromInline
    init(at index: Int, from source: Int?, json: [UInt8]) {
        self.index = index
        self.source = source
        self.json = json
    }
}

/// The encoded members of a state and their change tokens, with which the next state is compared.
///
/// Members and tokens are numbered in the order of the visit, which is always the same.
@usableFromInline
struct EncodedBaseline: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The offset of the end of each member's JSON.
    private var ends: [Int32] = []
    private var tokens: [ChangeToken] = []

    init() {}

    /// The baseline of a first state.
    init(of state: some DiffableState) throws(EncodingFailure) {
        var differ = StateDiffer(EncodedBaseline())
        state.findChanges(&differ)
        if let failure = differ.failure { throw EncodingFailure(description: failure) }
        self = differ.baseline
    }

    /// The range of a member's JSON; nil if the member was never visited.
    func range(of member: Int) -> Range<Int>? {
        guard member < ends.count else { return nil }
        return (member == 0 ? 0 : Int(ends[member - 1]))..<Int(ends[member])
    }

    /// Whether the bytes in `range` are equal to `json`.
    func isEqual(_ json: UnsafeRawBufferPointer, at range: Range<Int>) -> Bool {
        guard range.count == json.count else { return false }
        return bytes.withUnsafeBytes { Self.areEqual(UnsafeRawBufferPointer(rebasing: $0[range]), json) }
    }

    // Compares eight bytes at a time, because every commit compares every member.
    static func areEqual(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) -> Bool {
        guard old.count == new.count else { return false }
        var offset = 0
        while offset + 8 <= new.count {
            let word = new.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if word != old.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
            offset += 8
        }
        while offset < new.count, new[offset] == old[offset] { offset += 1 }
        return offset == new.count
    }

    /// - Parameter range: the range of the member's JSON; nil at the first visit.
    mutating func set(_ member: Int, at range: Range<Int>?, to json: UnsafeBufferPointer<UInt8>) {
        guard let range else {
            bytes.append(contentsOf: json)
            ends.append(Int32(truncatingIfNeeded: bytes.count))
            return
        }
        bytes.replaceSubrange(range, with: json)
        let growth = Int32(truncatingIfNeeded: json.count - range.count)
        guard growth != 0 else { return }
        for index in member..<ends.count { ends[index] += growth }
    }

    /// - Returns: the previous token; nil if there was none.
    mutating func exchange(_ index: Int, _ token: ChangeToken) -> ChangeToken? {
        guard index < tokens.count else {
            tokens.append(token)
            return nil
        }
        defer { tokens[index] = token }
        return tokens[index]
    }
}
