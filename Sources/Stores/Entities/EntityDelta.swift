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

    /// Whether nothing has changed.
    @inlinable
    public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

    @inlinable
    init(_ entries: ArraySlice<EntityChangeLogEntry<ID>>) {
        var (removed, inserted, moved, updated): ([Position], [Position], [Move], [ID]) = ([], [], [], [])
        for (position, id) in zip(entries.indices, entries.lazy.map { $0.id })
        where !entries[..<position].contains(where: { $0.id == id }) {
            guard let (from, to) = entries.netMove(of: id) else {
                updated.append(id)
                continue
            }
            if let from, let to {
                moved.append(Move(id: id, from: from, to: to))
                if entries.contains(where: { $0.id == id && $0.setsValue }) { updated.append(id) }
            } else if let from {
                removed.append(Position(id: id, index: from))
            } else if let to {
                inserted.append(Position(id: id, index: to))
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

extension ArraySlice {
    /// The index of an id before and after these changes, each nil if the id is not in the table. Nil as a whole if the changes
    /// only updated the entity.
    @inlinable
    func netMove<ID>(of id: ID) -> (from: Int?, to: Int?)? where Element == EntityChangeLogEntry<ID> {
        let first = firstIndex { $0.id == id && !$0.isUpdate }
        let last = lastIndex { $0.id == id && !$0.isUpdate }
        guard let first, let last else { return nil }
        return (
            self[first].from.map { self[..<first].reversed().reduce($0) { $1.before($0) } },
            self[last].to.map { self[(last + 1)...].reduce($0) { $1.after($0) } }
        )
    }
}

/// The latest changes of a table. It is long enough for a reader that looks after each commit.
@usableFromInline
struct EntityChangeLog<ID: Hashable & Sendable>: Sendable {
    /// The minimum number of entries, once there were as many. The maximum is twice as much.
    @inlinable static var minCount: Int { 16 }

    @usableFromInline var entries: [EntityChangeLogEntry<ID>] = []

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ entry: EntityChangeLogEntry<ID>) {
        if entries.count == 2 * Self.minCount { entries.removeFirst(Self.minCount) }
        entries.append(entry)
    }

    /// The changes since that version; nil if the log does not reach back to it.
    @inlinable
    func entries(since stamp: ChangeToken) -> ArraySlice<EntityChangeLogEntry<ID>>? {
        entries.lastIndex { $0.before == stamp }.map { entries[$0...] }
    }
}

/// One change of a table. An insertion has no old index, a removal no new one, and an update neither.
@usableFromInline
struct EntityChangeLogEntry<ID: Hashable & Sendable>: Sendable {
    /// The token of the table before the change.
    @usableFromInline let before: ChangeToken
    @usableFromInline let id: ID
    /// Indices in the order, -1 for none: smaller than optionals.
    @usableFromInline let oldIndex: Int32
    @usableFromInline let newIndex: Int32

    @inlinable
    init(before: ChangeToken, id: ID, from oldIndex: Int?, to newIndex: Int?) {
        self.before = before
        self.id = id
        self.oldIndex = Int32(truncatingIfNeeded: oldIndex ?? -1)
        self.newIndex = Int32(truncatingIfNeeded: newIndex ?? -1)
    }

    /// The index before the change.
    @inlinable var from: Int? { oldIndex < 0 ? nil : Int(oldIndex) }
    /// The index after the change.
    @inlinable var to: Int? { newIndex < 0 ? nil : Int(newIndex) }

    /// Whether the order is unchanged.
    @inlinable var isUpdate: Bool { oldIndex < 0 && newIndex < 0 }
    /// Whether the entity has a new value: an update or an insertion.
    @inlinable var setsValue: Bool { oldIndex < 0 }

    /// The index of another entity after this change, from its index before it.
    @inlinable
    func after(_ index: Int) -> Int { Self.shift(index, from: from, to: to) }

    /// The index of another entity before this change, from its index after it.
    @inlinable
    func before(_ index: Int) -> Int { Self.shift(index, from: to, to: from) }

    @inlinable
    static func shift(_ index: Int, from removed: Int?, to inserted: Int?) -> Int {
        var index = index
        if let removed, removed < index { index -= 1 }
        if let inserted, inserted <= index { index += 1 }
        return index
    }
}
