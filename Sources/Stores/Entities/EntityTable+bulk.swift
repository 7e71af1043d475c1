/// Changes of many entities. Each makes one version of the table.
extension EntityTable {
    /// Adds entities at the end. An entity whose id the table has already is left out.
    ///
    /// - Returns: the number of added entities.
    @inlinable @discardableResult
    public mutating func addMany(_ entities: some Sequence<Entity>) -> Int {
        var entries: [EntityChangeLogEntry<Entity.ID>] = []
        for entity in entities where !contains(entity.id) {
            entries.append(EntityChangeLogEntry(before: latest, id: entity.id, from: nil, to: count))
            add(entity, at: count)
        }
        logVersion(entries)
        return entries.count
    }

    /// Changes entities in place, each as `update(_:_:)` does. Ids without an entity are left out.
    ///
    /// - Returns: the number of ids that were found.
    @inlinable @discardableResult
    public mutating func updateMany(_ ids: some Sequence<Entity.ID>, _ change: (inout Entity) -> Void) -> Int {
        var (count, entries) = (0, [EntityChangeLogEntry<Entity.ID>]())
        for id in ids {
            guard let row = rowOfID[id] else { continue }
            count += 1
            if changeRow(row, change) { noteUpdate(of: id, row, &entries) }
        }
        logVersion(entries)
        return count
    }

    /// Changes entities in place, each as `update(_:_:)` does. Ids without an entity are left out.
    ///
    /// - Returns: the number of ids that were found.
    @inlinable @discardableResult
    public mutating func updateMany(
        _ ids: some Sequence<Entity.ID>, _ change: (inout Entity) -> Void
    ) -> Int where Entity: Equatable {
        var (count, entries) = (0, [EntityChangeLogEntry<Entity.ID>]())
        for id in ids {
            guard let row = rowOfID[id] else { continue }
            count += 1
            if changeRow(row, change) { noteUpdate(of: id, row, &entries) }
        }
        logVersion(entries)
        return count
    }

    /// Replaces or adds entities, each as ``upsert(_:)`` does.
    ///
    /// - Returns: the number of added entities.
    @inlinable @discardableResult
    public mutating func upsertMany(_ entities: some Sequence<Entity>) -> Int {
        upsertMany(entities) { $0.replaceRow($1, by: $2) }
    }

    /// Merges or adds entities, each as `upsert(_:merging:)` does.
    ///
    /// - Returns: the number of added entities.
    @inlinable @discardableResult
    public mutating func upsertMany(
        _ entities: some Sequence<Entity>, merging merge: (_ standing: inout Entity, _ new: Entity) -> Void
    ) -> Int {
        upsertMany(entities) { table, row, entity in table.changeRow(row) { merge(&$0, entity) } }
    }

    /// Merges or adds entities, each as `upsert(_:merging:)` does. Those that are equal afterwards count as unchanged.
    ///
    /// - Returns: the number of added entities.
    @inlinable @discardableResult
    public mutating func upsertMany(
        _ entities: some Sequence<Entity>, merging merge: (_ standing: inout Entity, _ new: Entity) -> Void
    ) -> Int where Entity: Equatable {
        upsertMany(entities) { table, row, entity in table.changeRow(row) { merge(&$0, entity) } }
    }

    /// - Parameter change: changes the row that has the entity's id. It returns false if that counts as unchanged.
    @inlinable
    mutating func upsertMany(
        _ entities: some Sequence<Entity>, changing change: (inout EntityTable, Int32, Entity) -> Bool
    ) -> Int {
        var (added, entries) = (0, [EntityChangeLogEntry<Entity.ID>]())
        for entity in entities {
            if let row = rowOfID[entity.id] {
                if change(&self, row, entity) { noteUpdate(of: entity.id, row, &entries) }
            } else {
                entries.append(EntityChangeLogEntry(before: latest, id: entity.id, from: nil, to: count))
                add(entity, at: count)
                added += 1
            }
        }
        logVersion(entries)
        return added
    }

    /// Removes entities. Walks over the table once, however many there are.
    ///
    /// - Returns: the number of removed entities.
    @inlinable @discardableResult
    public mutating func removeMany(_ ids: some Sequence<Entity.ID>) -> Int {
        let gone = Set(ids.compactMap { rowOfID[$0] })
        guard !gone.isEmpty else { return 0 }
        logVersion(
            order.indices.reversed().filter { gone.contains(order[$0]) }.map {
                EntityChangeLogEntry(before: latest, id: rows[Int(order[$0])].id, from: $0, to: nil)
            })
        var kept: [Row] = []
        kept.reserveCapacity(rows.count - gone.count)
        order = order.compactMap { row in
            guard !gone.contains(row) else { return nil }
            kept.append(rows[Int(row)])
            return Int32(kept.count - 1)
        }
        replaceRows(kept)
        return gone.count
    }

    /// Removes all entities. The table keeps the log of its changes, which a new table does not have.
    @inlinable
    public mutating func removeAll() { removeMany(ids) }

    /// Replaces all entities by these, in their order. Of entities with the same id, the last one is taken, at the place of the
    /// first.
    ///
    /// The difference to the table before is found if the entities that both have are in the same order. If nothing is different,
    /// the table counts as unchanged.
    @inlinable
    public mutating func setAll(_ entities: some Sequence<Entity>) {
        setAll(entities) { countsAsUnchanged($0, $1) }
    }

    /// Replaces all entities by these, in their order. Of entities with the same id, the last one is taken, at the place of the
    /// first.
    ///
    /// The difference to the table before is found if the entities that both have are in the same order. If nothing is different,
    /// the table counts as unchanged.
    @inlinable
    public mutating func setAll(_ entities: some Sequence<Entity>) where Entity: Equatable {
        setAll(entities) { countsAsUnchanged($0, $1) }
    }
}

extension EntityTable {
    @inlinable
    mutating func setAll(_ entities: some Sequence<Entity>, _ areEqual: (Entity, Entity) -> Bool) {
        var next: [Row] = []
        var places = RowTable<Entity.ID>()
        for entity in entities {
            if let place = places[entity.id] {
                next[Int(place)].entity = entity
            } else {
                places[entity.id] = Int32(next.count)
                next.append(Row(entity))
            }
        }
        let entries = difference(to: next, places, areEqual)
        guard entries?.isEmpty != true else { return }
        log.append(entries)
        latest = ChangeToken()
        (rows, rowOfID, order) = (next, places, Array(0..<Int32(next.count)))
    }

    /// The changes that lead to these rows; nil if some would have to be moved.
    @inlinable
    func difference(
        to next: [Row], _ places: RowTable<Entity.ID>, _ areEqual: (Entity, Entity) -> Bool
    ) -> [EntityChangeLogEntry<Entity.ID>]? {
        var entries: [EntityChangeLogEntry<Entity.ID>] = []
        var last: Int32 = -1
        for index in order.indices.reversed() where places[rows[Int(order[index])].id] == nil {
            entries.append(EntityChangeLogEntry(before: latest, id: rows[Int(order[index])].id, from: index, to: nil))
        }
        for row in order {
            guard let place = places[rows[Int(row)].id] else { continue }
            guard place > last else { return nil }
            last = place
        }
        for (index, row) in next.enumerated() {
            if let old = rowOfID[row.id] {
                guard !areEqual(rows[Int(old)].entity, row.entity) else { continue }
                entries.append(EntityChangeLogEntry(before: latest, id: row.id, from: nil, to: nil))
            } else {
                entries.append(EntityChangeLogEntry(before: latest, id: row.id, from: nil, to: index))
            }
        }
        return entries
    }

    /// Replaces the rows; the order must be that of the new ones.
    @inlinable
    mutating func replaceRows(_ next: [Row]) {
        rows = next
        rowOfID = RowTable(minimumCapacity: next.count)
        for (place, row) in next.enumerated() { rowOfID[row.id] = Int32(place) }
    }

    @inlinable
    mutating func logVersion(_ entries: [EntityChangeLogEntry<Entity.ID>]) {
        guard !entries.isEmpty else { return }
        log.append(entries)
        latest = ChangeToken()
    }

    /// - Parameter row: the row that had the id before it was changed.
    @inlinable
    mutating func noteUpdate(of id: Entity.ID, _ row: Int32, _ entries: inout [EntityChangeLogEntry<Entity.ID>]) {
        if ExactComparison.areSame(rows[Int(row)].entity.id, id) {
            entries.append(EntityChangeLogEntry(before: latest, id: id, from: nil, to: nil))
        } else {
            changeID(ofRow: row, &entries)
        }
    }
}
