extension EntityTable {
    /// Adds `entity` where the order wants it, behind those that are equal in it; false, and no change, where its id is
    /// there already.
    ///
    /// The table must be sorted by the same order, else the place is any. It is found by bisection: 17 comparisons in a
    /// table of 100 000.
    /// - Parameters:
    ///   - entity: what is added.
    ///   - areInOrder: whether the first stands before the second; a strict weak order, as in `sort(by:)`.
    @inlinable @discardableResult
    public mutating func insert(_ entity: Entity, by areInOrder: (Entity, Entity) -> Bool) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if areInOrder(entity, rows[Int(order[middle])].entity) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return insert(entity, at: low)
    }

    /// Adds `entity` where its key wants it, the smallest first, behind those with an equal key; false, and no change,
    /// where its id is there already.
    ///
    /// The table must be sorted by the same key, else the place is any.
    @inlinable @discardableResult
    public mutating func insert(_ entity: Entity, sortedBy key: (Entity) -> some Comparable) -> Bool {
        insert(entity, by: { key($0) < key($1) })
    }
}
