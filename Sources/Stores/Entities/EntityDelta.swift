/// What has changed in a table between two stamps, and nothing that came and went in between.
///
/// An id stands at most once in each list. To bring the old order up to date: take out what was `removed` and what was
/// `moved`, the highest old index first; then put in what was `inserted` and what was `moved`, the lowest new index
/// first. These are the steps of a JSON Patch as well. The entities that are `inserted` and `updated` have other values
/// than before; an id that is both moved and updated stands in both lists.
public struct EntityDelta<ID: Hashable & Sendable>: Sendable, Equatable {
    /// An id and its index in the order.
    public struct Position: Sendable, Equatable {
        /// Whose place it is.
        public let id: ID
        /// Where it stands, from 0.
        public let index: Int

        @inlinable
        init(id: ID, index: Int) {
            self.id = id
            self.index = index
        }
    }

    /// An id and its index in the order before and after.
    public struct Move: Sendable, Equatable {
        /// Who moved.
        public let id: ID
        /// Where it stood, from 0.
        public let from: Int
        /// Where it stands, from 0. May be where it stood.
        public let to: Int

        @inlinable
        init(id: ID, from: Int, to: Int) {
            self.id = id
            self.from = from
            self.to = to
        }
    }

    /// Ids that are gone, with where they stood; by index.
    public let removed: [Position]
    /// Ids that are new, with where they stand; by index.
    public let inserted: [Position]
    /// Ids that stand elsewhere; by their new index.
    public let moved: [Move]
    /// Ids that were there before, whose entities were changed; in the order of their first change.
    public let updated: [ID]

    /// Whether nothing has changed.
    @inlinable
    public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

    @inlinable
    init(_ entries: ArraySlice<EntityChangeLogEntry<ID>>) {
        var (removed, inserted, moved, updated): ([Position], [Position], [Move], [ID]) = ([], [], [], [])
        for (position, id) in zip(entries.indices, entries.lazy.map { $0.id })
        where !entries[..<position].contains(where: { $0.id == id }) {
            guard let (from, to) = entries.journey(of: id) else {
                updated.append(id)
                continue
            }
            if let from, let to {
                moved.append(Move(id: id, from: from, to: to))
                if entries.contains(where: { $0.id == id && $0.bringsValue }) { updated.append(id) }
            } else if let from {
                removed.append(Position(id: id, index: from))
            } else if let to {
                inserted.append(Position(id: id, index: to))
            }
        }
        // Where nothing else changed places, a move that came back is none.
        if removed.isEmpty, inserted.isEmpty, moved.allSatisfy({ $0.from == $0.to }) { moved = [] }
        self.removed = removed.sorted { $0.index < $1.index }
        self.inserted = inserted.sorted { $0.index < $1.index }
        self.moved = moved.sorted { $0.to < $1.to }
        self.updated = updated
    }
}

extension ArraySlice {
    /// Where an id stood before these changes and where it stands after them, nil for nowhere; nil as a whole where they
    /// changed only what stands under it.
    @inlinable
    func journey<ID>(of id: ID) -> (from: Int?, to: Int?)? where Element == EntityChangeLogEntry<ID> {
        let first = firstIndex { $0.id == id && !$0.isUpdate }
        let last = lastIndex { $0.id == id && !$0.isUpdate }
        guard let first, let last else { return nil }
        return (
            self[first].from.map { self[..<first].reversed().reduce($0) { $1.before($0) } },
            self[last].to.map { self[(last + 1)...].reduce($0) { $1.after($0) } }
        )
    }
}

/// The latest changes of a table. A reader that looks after each commit finds them all; nobody else makes it grow.
@usableFromInline
struct EntityChangeLog<ID: Hashable & Sendable>: Sendable {
    /// As many are kept at least, if there were as many; twice as many at most.
    @inlinable static var kept: Int { 16 }

    @usableFromInline var entries: [EntityChangeLogEntry<ID>] = []

    @inlinable
    init() {}

    @inlinable
    mutating func note(_ entry: EntityChangeLogEntry<ID>) {
        if entries.count == 2 * Self.kept { entries.removeFirst(Self.kept) }
        entries.append(entry)
    }

    /// The changes that led from that stamp to the latest; nil where the log does not know it.
    @inlinable
    func entries(since stamp: ChangeToken) -> ArraySlice<EntityChangeLogEntry<ID>>? {
        entries.lastIndex { $0.before == stamp }.map { entries[$0...] }
    }
}

/// One change of a table: an insertion comes from nowhere, a removal goes there, an update stays where it is.
@usableFromInline
struct EntityChangeLogEntry<ID: Hashable & Sendable>: Sendable {
    /// The stamp that the table had before.
    @usableFromInline let before: ChangeToken
    @usableFromInline let id: ID
    /// Places in the order, -1 for nowhere: smaller than optionals.
    @usableFromInline let oldPlace: Int32
    @usableFromInline let newPlace: Int32

    @inlinable
    init(before: ChangeToken, id: ID, from oldPlace: Int?, to newPlace: Int?) {
        self.before = before
        self.id = id
        self.oldPlace = Int32(truncatingIfNeeded: oldPlace ?? -1)
        self.newPlace = Int32(truncatingIfNeeded: newPlace ?? -1)
    }

    /// The place before the change.
    @inlinable var from: Int? { oldPlace < 0 ? nil : Int(oldPlace) }
    /// The place after the change.
    @inlinable var to: Int? { newPlace < 0 ? nil : Int(newPlace) }

    /// Whether the order stays what it is.
    @inlinable var isUpdate: Bool { oldPlace < 0 && newPlace < 0 }
    /// Whether the entity has another value after it: an update or an insertion.
    @inlinable var bringsValue: Bool { oldPlace < 0 }

    /// Where an entity that stood at `index` stands after this change of another one.
    @inlinable
    func after(_ index: Int) -> Int { Self.shift(index, from: from, to: to) }

    /// Where an entity that stands at `index` stood before this change of another one.
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
