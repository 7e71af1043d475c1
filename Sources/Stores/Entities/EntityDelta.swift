/// The net change of a table between two versions. Changes that cancel each other out are left out.
///
/// An id appears at most once in each list. To update the old order, first remove the `removed` and the `moved` ids, from the
/// highest old index to the lowest; then insert the `inserted` and the `moved` ids, from the lowest new index to the highest.
/// A JSON Patch has the same steps. The entities of `inserted` and `updated` have new values. An id that was both moved and
/// updated is in both lists.
public struct EntityDelta<ID: Hashable & Sendable>: Sendable, Equatable {
    /// An id and its index in the order.
    public struct Position: Sendable, Equatable {
        /// The id.
        public let id: ID
        /// The index, from 0.
        public let index: Int

        @inlinable
        init(id: ID, index: Int) {
            self.id = id
            self.index = index
        }
    }

    /// An id and its index in the order before and after.
    public struct Move: Sendable, Equatable {
        /// The id.
        public let id: ID
        /// The old index, from 0.
        public let from: Int
        /// The new index, from 0. It may equal the old one.
        public let to: Int

        @inlinable
        init(id: ID, from: Int, to: Int) {
            self.id = id
            self.from = from
            self.to = to
        }
    }

    /// Removed ids with their old indices, by index.
    public let removed: [Position]
    /// New ids with their indices, by index.
    public let inserted: [Position]
    /// Moved ids, by new index.
    public let moved: [Move]
    /// Ids of changed entities that are not new, in the order of their first change.
    public let updated: [ID]

    /// The number of changes.
    @inlinable
    package var count: Int { removed.count + inserted.count + moved.count + updated.count }

    /// Whether nothing has changed.
    @inlinable
    package var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

    @inlinable
    init(_ entries: ArraySlice<EntityChangeLogEntry<ID>>) {
        var (removed, inserted, moved, updated): ([Position], [Position], [Move], [ID]) = ([], [], [], [])
        for id in NetChange<ID>.all(entries) {
            guard let (from, to) = id.net(entries) else {
                updated.append(id.id)
                continue
            }
            if let from, let to {
                moved.append(Move(id: id.id, from: from, to: to))
                if id.setsValue { updated.append(id.id) }
            } else if let from {
                removed.append(Position(id: id.id, index: from))
            } else if let to {
                inserted.append(Position(id: id.id, index: to))
            }
        }
        // If nothing else moved, a move back to the same index is no move.
        if removed.isEmpty, inserted.isEmpty, moved.allSatisfy({ $0.from == $0.to }) { moved = [] }
        self.removed = removed.sorted { $0.index < $1.index }
        self.inserted = inserted.sorted { $0.index < $1.index }
        self.moved = moved.sorted { $0.to < $1.to }
        self.updated = updated
    }
}

/// The net change of one id: the positions of the first and the last entry that changed its place, and whether an entry
/// set its value.
@usableFromInline
struct NetChange<ID: Hashable & Sendable> {
    @usableFromInline let id: ID
    @usableFromInline var first: Int?
    @usableFromInline var last: Int?
    @usableFromInline var setsValue: Bool

    @inlinable
    init(_ entry: EntityChangeLogEntry<ID>, _ position: Int) {
        id = entry.id
        setsValue = false
        note(entry, position)
    }

    @inlinable
    mutating func note(_ entry: EntityChangeLogEntry<ID>, _ position: Int) {
        setsValue = setsValue || entry.setsValue
        guard !entry.isUpdate else { return }
        first = first ?? position
        last = position
    }

    /// The ids of the entries, in the order of their first change.
    @inlinable
    static func all(_ entries: ArraySlice<EntityChangeLogEntry<ID>>) -> [NetChange] {
        // Most commits make one change. A dictionary would cost more than the rest.
        if let only = entries.first, entries.count == 1 { return [NetChange(only, entries.startIndex)] }
        var changes: [NetChange] = []
        var places: [ExactKey<ID>: Int] = [:]
        for (position, entry) in zip(entries.indices, entries) {
            if let place = places[ExactKey(entry.id)] {
                changes[place].note(entry, position)
            } else {
                places[ExactKey(entry.id)] = changes.count
                changes.append(NetChange(entry, position))
            }
        }
        return changes
    }

    /// The index of the id before and after the entries, each nil if the id is not in the table. Nil as a whole if the entries
    /// only update the entity.
    @inlinable
    func net(_ entries: ArraySlice<EntityChangeLogEntry<ID>>) -> (from: Int?, to: Int?)? {
        guard let first, let last else { return nil }
        return (
            entries[first].from.map { entries[..<first].reversed().reduce($0) { $1.before($0) } },
            entries[last].to.map { entries[(last + 1)...].reduce($0) { $1.after($0) } }
        )
    }
}
