public import JSON

extension ChangeFinder {
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
        _ kind: StatePatch.Operation.Kind, _ path: String, _ write: (inout JSONWriter) -> Void = { _ in }
    ) {
        scratch.clear()
        write(&scratch)
        patch.operations.append(StatePatch.Operation(kind, path, scratch.bytes))
    }

    @usableFromInline
    static func step(_ id: some LosslessStringConvertible) -> String {
        JSONPointer(tokens: [id.description]).description
    }
}
