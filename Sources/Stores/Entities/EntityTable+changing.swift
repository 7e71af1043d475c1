extension EntityTable {
    /// Adds `entity` at the end. False, and no change, if the table has its id already.
    @inlinable @discardableResult
    public mutating func insert(_ entity: Entity) -> Bool {
        insert(entity, at: count)
    }

    /// Adds `entity` at `index`; an index past the end means the end. False, and no change, if the table has its id already.
    @inlinable @discardableResult
    public mutating func insert(_ entity: Entity, at index: Int) -> Bool {
        guard !contains(entity.id) else { return false }
        let index = Swift.min(Swift.max(index, 0), count)
        add(entity, at: index)
        logChange(of: entity.id, from: nil, to: index)
        return true
    }

    /// Changes an entity in place. False if there is no such entity.
    ///
    /// If the change gives it another id, it keeps its place. Another entity that had the new id is removed.
    @inlinable @discardableResult
    public mutating func update(_ id: Entity.ID, _ change: (inout Entity) -> Void) -> Bool {
        guard let row = rowOfID[id] else { return false }
        if changeRow(row, change) { logUpdate(of: id, row) }
        return true
    }

    /// Changes an entity in place. If it is equal afterwards, its texts to the byte, the table counts as unchanged. False if there
    /// is no such entity.
    ///
    /// If the change gives it another id, it keeps its place. Another entity that had the new id is removed.
    @inlinable @discardableResult
    public mutating func update(_ id: Entity.ID, _ change: (inout Entity) -> Void) -> Bool where Entity: Equatable {
        guard let row = rowOfID[id] else { return false }
        if changeRow(row, change) { logUpdate(of: id, row) }
        return true
    }

    /// Replaces the entity with the same id, or adds `entity` at the end if there is none.
    ///
    /// - Returns: whether the entity was added.
    @inlinable @discardableResult
    public mutating func upsert(_ entity: Entity) -> Bool { !replace(entity.id, by: entity) && insert(entity) }

    /// Merges `entity` into the entity with the same id, or adds it at the end if there is none.
    ///
    /// - Parameters:
    ///   - entity: the new entity.
    ///   - merge: merges the new entity into the existing one, in place.
    /// - Returns: whether the entity was added.
    @inlinable @discardableResult
    public mutating func upsert(
        _ entity: Entity, merging merge: (_ standing: inout Entity, _ new: Entity) -> Void
    ) -> Bool {
        !update(entity.id) { merge(&$0, entity) } && insert(entity)
    }

    /// Merges `entity` into the entity with the same id, or adds it at the end if there is none. If the existing one is equal
    /// afterwards, the table counts as unchanged.
    ///
    /// - Parameters:
    ///   - entity: the new entity.
    ///   - merge: merges the new entity into the existing one, in place.
    /// - Returns: whether the entity was added.
    @inlinable @discardableResult
    public mutating func upsert(
        _ entity: Entity, merging merge: (_ standing: inout Entity, _ new: Entity) -> Void
    ) -> Bool where Entity: Equatable {
        !update(entity.id) { merge(&$0, entity) } && insert(entity)
    }

    /// Removes and returns an entity; nil if there is none.
    @inlinable @discardableResult
    public mutating func remove(_ id: Entity.ID) -> Entity? {
        guard let row = rowOfID.removeValue(forKey: id), let index = index(ofRow: row) else { return nil }
        order.remove(at: index)
        let entity = takeRow(row)
        logChange(of: id, from: index, to: nil)
        return entity
    }

    /// Moves an entity to `index`; an index past the end means the end. False if there is no such entity.
    @inlinable @discardableResult
    public mutating func move(_ id: Entity.ID, to index: Int) -> Bool {
        guard let row = rowOfID[id], let old = self.index(ofRow: row) else { return false }
        let index = Swift.min(Swift.max(index, 0), count - 1)
        guard index != old else { return true }
        order.remove(at: old)
        order.insert(row, at: index)
        logChange(of: id, from: old, to: index)
        return true
    }
}

extension EntityTable {
    /// Changes the entity of a row in place.
    ///
    /// - Returns: false if it counts as unchanged.
    @inlinable
    mutating func changeRow(_ row: Int32, _ change: (inout Entity) -> Void) -> Bool {
        guard isComparedWhenChanged(rows[Int(row)].entity) else {
            change(&rows[Int(row)].entity)
            return true
        }
        let before = rows[Int(row)].entity
        change(&rows[Int(row)].entity)
        return !countsAsUnchanged(before, rows[Int(row)].entity)
    }

    /// Changes an entity that is known to be `Equatable`.
    @inlinable
    mutating func changeRow(_ row: Int32, _ change: (inout Entity) -> Void) -> Bool where Entity: Equatable {
        let before = rows[Int(row)].entity
        change(&rows[Int(row)].entity)
        return !countsAsUnchanged(before, rows[Int(row)].entity)
    }

    /// Replaces an entity. False if there is none.
    @inlinable
    mutating func replace(_ id: Entity.ID, by entity: Entity) -> Bool {
        guard let row = rowOfID[id] else { return false }
        if replaceRow(row, by: entity) { logUpdate(of: id, row) }
        return true
    }

    /// - Returns: false if the entity counts as unchanged.
    @inlinable
    mutating func replaceRow(_ row: Int32, by entity: Entity) -> Bool {
        if countsAsUnchanged(rows[Int(row)].entity, entity) { return false }
        rows[Int(row)].entity = entity
        return true
    }

    /// - Precondition: the table does not have the id, and `index` is in bounds.
    @inlinable
    mutating func add(_ entity: Entity, at index: Int) {
        let row = Int32(rows.count)
        rows.append(Row(entity))
        rowOfID[entity.id] = row
        order.insert(row, at: index)
    }

    /// Removes a row and fills the gap with the last row, so that nothing is shifted.
    @inlinable
    mutating func takeRow(_ row: Int32) -> Entity {
        let last = Int32(rows.count - 1)
        rows.swapAt(Int(row), Int(last))
        if row != last {
            rowOfID[rows[Int(row)].id] = row
            if let index = index(ofRow: last) { order[index] = row }
        }
        return rows.removeLast().entity
    }

    /// The index of a row in the order. It compares whole blocks, which the compiler vectorizes: three times as fast as one by
    /// one.
    @inlinable
    func index(ofRow row: Int32) -> Int? {
        let block = 32
        return order.withUnsafeBufferPointer { order in
            var start = 0
            while start + block <= order.count {
                var isHere = false
                // A row occurs once, so XOR keeps a hit. Counting hits, or stopping at one, is slower by half.
                for index in start..<start + block { isHere = isHere != (order[index] == row) }
                if isHere { break }
                start += block
            }
            return order[start...].firstIndex(of: row)
        }
    }

    /// - Parameter row: the row that had the id before it was changed.
    @inlinable
    mutating func logUpdate(of id: Entity.ID, _ row: Int32) {
        if ExactComparison.areSame(rows[Int(row)].entity.id, id) {
            logChange(of: id, from: nil, to: nil)
        } else {
            var entries: [EntityChangeLogEntry<Entity.ID>] = []
            changeID(ofRow: row, &entries)
            logVersion(entries)
        }
    }

    /// Gives a row the id of its entity, and removes another entity with that id.
    @usableFromInline
    mutating func changeID(ofRow row: Int32, _ entries: inout [EntityChangeLogEntry<Entity.ID>]) {
        var row = row
        let (old, new) = (rows[Int(row)].id, rows[Int(row)].entity.id)
        if let other = rowOfID.removeValue(forKey: new), let index = index(ofRow: other) {
            order.remove(at: index)
            let isLast = row == rows.count - 1
            _ = takeRow(other)
            // The last row has taken the place of the removed one.
            if isLast { row = other }
            entries.append(EntityChangeLogEntry(before: latest, id: new, from: index, to: nil))
        }
        rowOfID[old] = nil
        rowOfID[new] = row
        rows[Int(row)].id = new
        guard let index = index(ofRow: row) else { return }
        entries.append(EntityChangeLogEntry(before: latest, id: old, from: index, to: nil))
        entries.append(EntityChangeLogEntry(before: latest, id: new, from: nil, to: index))
    }

    @inlinable
    mutating func logChange(of id: Entity.ID, from old: Int?, to new: Int?) {
        log.append(EntityChangeLogEntry(before: latest, id: id, from: old, to: new))
        latest = ChangeToken()
    }
}

extension EntityTable {
    /// Adds `entity` at its place in a sorted table, behind equal ones. False, and no change, if the table has its id already.
    ///
    /// The table must be sorted by the same order, or the place is arbitrary. A binary search finds it: 17 comparisons in a table
    /// of 100 000.
    ///
    /// - Parameters:
    ///   - entity: the new entity.
    ///   - areInOrder: whether the first comes before the second; a strict weak order, as in `sort(by:)`.
    @inlinable @discardableResult
    public mutating func insert(_ entity: Entity, by areInOrder: (Entity, Entity) -> Bool) -> Bool {
        insert(entity, at: sortedIndex(of: entity, by: areInOrder))
    }

    /// The index behind the entities of a sorted table that come before `entity` or are equal.
    @inlinable
    func sortedIndex(of entity: Entity, by areInOrder: (Entity, Entity) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if areInOrder(entity, rows[Int(order[middle])].entity) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// Adds `entity` at its place in a table sorted by `key`, behind equal ones. False, and no change, if the table has its id
    /// already.
    ///
    /// The table must be sorted by the same key, smallest first, or the place is arbitrary.
    @inlinable @discardableResult
    public mutating func insert(_ entity: Entity, sortedBy key: (Entity) -> some Comparable) -> Bool {
        insert(entity, by: { key($0) < key($1) })
    }
}
