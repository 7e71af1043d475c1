public import JSON
public import Stores

// The operations for the changes of a table, which are taken from the table's log.
extension StateDiffer {
    @inlinable
    mutating func findChanges<Entity>(of table: EntityTable<Entity>, since before: ChangeToken, at path: String)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
        let (entities, ids) = (path + "/entities", path + "/ids")
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
        for id in delta.updated { change(id.description, path + Self.step(id)) { $0.value(table[id]) } }
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
        var json = JSONWriter(reservingCapacity: 128)
        write(&json)
        if let reason = json.failure { fail(reason, at: path) }
        let value = json.finish()
        // The path is longer than the name of a new member, and there are quotes, a colon and a comma.
        growth += value.count + (kind == .add ? path.utf8.count + 4 : 0)
        patch.operations.append(EncodedPatch.Operation(kind, path, value))
    }

    /// Adds the change of an entity: of each changed member, if the text of the state has the table.
    @usableFromInline
    mutating func change(_ name: String, _ path: String, _ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter(reservingCapacity: 128)
        write(&json)
        if let reason = json.failure { fail(reason, at: path) }
        let value = json.finish()
        guard let old = previousEntity(name) else {
            growth += value.count
            return patch.operations.append(EncodedPatch.Operation(.replace, path, value))
        }
        growth += value.count - old.count
        patch.append(EncodedPatch(fromObject: old, to: value, at: path))
    }

    /// The entity as it was, as JSON; nil if the text of the state does not have the table.
    private func previousEntity(_ name: String) -> [UInt8]? {
        guard let table = currentText, !table.isEmpty else { return nil }
        let written = name.encoded().dropFirst().dropLast()
        return table.withUnsafeBytes { table in
            EncodedMembers.value(of: written, in: "entities", of: table).map { Array(table[$0]) }
        }
    }

    @usableFromInline
    static func step(_ id: some LosslessStringConvertible) -> String {
        JSONPointer(tokens: [id.description]).description
    }
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
