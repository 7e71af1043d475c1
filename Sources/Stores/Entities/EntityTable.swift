/// Entities by id, in an order: normalized state, in which each entity exists once.
///
/// Every id has one entity and one index. Look-up, insertion at the end and change in place cost the same at any size: some tens
/// of nanoseconds with integer ids. Insertion elsewhere, moving and removing walk over the order, four bytes an entity: about 20
/// microseconds in a table of 100 000. An empty table is five words and allocates nothing. Ids that are texts are compared by their
/// bytes, as JSON does.
///
/// Each change takes a new `stamp` and is logged. `changes(since:)` computes the difference from the log. Tables are equal if
/// they hold equal entities in the same order.
///
/// An entity counts as unchanged if it is `Equatable` and equal afterwards, and if all of its texts have the same bytes: a table
/// then keeps its stamp, whichever method was called. One exception is a change in place, by code that does not know that the
/// entity is `Equatable`, such as ``ForEach``: if the entity holds collections, it counts as changed, because a comparison would
/// copy them.
///
/// A table is a sequence of its entities in their order. ``SortedEntityTable`` sorts them. A table holds at most 2³¹ − 1 entities.
public struct EntityTable<Entity: Identifiable & Sendable>: Sendable, ChangeTracked where Entity.ID: Sendable {
    /// An entity with the id that it had when it was inserted.
    @usableFromInline
    struct Row: Sendable {
        @usableFromInline var id: Entity.ID
        @usableFromInline var entity: Entity

        @inlinable
        init(_ entity: Entity) {
            id = entity.id
            self.entity = entity
        }
    }

    /// The entities, in no order and without gaps.
    @usableFromInline var rows: [Row] = []
    /// The index of each id in `rows`.
    @usableFromInline var rowOfID = RowTable<Entity.ID>()
    /// Indices of `rows`, in the order of the table. Numbers are searched and shifted faster than ids.
    @usableFromInline var order: [Int32] = []
    @usableFromInline var log = EntityChangeLog<Entity.ID>()
    @usableFromInline var latest = ChangeToken.untouched

    /// An empty table.
    @inlinable
    public init() {}

    /// A table of these entities in their order. Of entities with the same id, only the first is added.
    @inlinable
    public init(_ entities: some Sequence<Entity>) {
        self.init()
        for entity in entities where !contains(entity.id) { add(entity, at: count) }
        if !isEmpty { latest = ChangeToken() }
    }

    /// New after every change. Equal tokens mean equal tables.
    @inlinable
    public var stamp: ChangeToken { latest }

    /// The number of entities.
    @inlinable
    public var count: Int { order.count }

    /// Whether the table has no entities.
    @inlinable
    public var isEmpty: Bool { order.isEmpty }

    /// Whether an entity has this id.
    @inlinable
    public func contains(_ id: Entity.ID) -> Bool { rowOfID[id] != nil }

    /// The entity with this id; nil if there is none.
    ///
    /// Setting nil removes the entity. Setting an entity replaces the one with this id at its place, or adds it at the end. One
    /// that counts as unchanged changes nothing. A change through the subscript copies the entity: `update(_:_:)` changes it in
    /// place.
    @inlinable
    public subscript(id: Entity.ID) -> Entity? {
        get {
            guard let row = rowOfID[id] else { return nil }
            return rows[Int(row)].entity
        }
        set {
            if let newValue {
                if !replace(id, by: newValue) { upsert(newValue) }
            } else {
                remove(id)
            }
        }
    }

    /// The index of an id in the order; nil if there is none. Walks over the order.
    @inlinable
    public func index(of id: Entity.ID) -> Int? { rowOfID[id].flatMap { index(ofRow: $0) } }

    /// A table of the entities that fulfil a condition, in the same order.
    @inlinable
    public func filter(_ isIncluded: (Entity) throws -> Bool) rethrows -> EntityTable {
        EntityTable(try ordered.filter(isIncluded))
    }

    /// The entities in order. While the value exists, the next change of the table copies it.
    @inlinable
    public var ordered: Ordered { Ordered(self) }

    /// The ids in order. While the value exists, the next change of the table copies it.
    @inlinable
    public var ids: IDs { IDs(self) }

    /// The difference to an earlier version of the table; nil if the log does not reach back to it, or if it was another table.
    /// Then only a comparison of the tables helps.
    ///
    /// The log reaches back over the latest 16 changes at least. A change of many entities counts as one, but not if they are
    /// more than 1024.
    @inlinable
    public func changes(since stamp: ChangeToken) -> EntityDelta<Entity.ID>? {
        stamp == self.stamp ? EntityDelta([]) : log.entries(since: stamp).map { EntityDelta($0) }
    }
}

extension EntityTable: Equatable where Entity: Equatable {
    /// Whether both have equal entities in the same order. Equal tokens answer without a comparison.
    @inlinable
    public static func == (one: EntityTable, other: EntityTable) -> Bool {
        one.stamp == other.stamp
            || one.ids.elementsEqual(other.ids) && one.ordered.elementsEqual(other.ordered)
    }
}

extension EntityTable: Sequence {
    /// Goes through the entities in order.
    @inlinable
    public func makeIterator() -> Ordered.Iterator { ordered.makeIterator() }

    /// The number of entities.
    @inlinable
    public var underestimatedCount: Int { count }
}

extension EntityTable: ExpressibleByArrayLiteral {
    /// A table of these entities in their order. Of entities with the same id, only the first is added.
    @inlinable
    public init(arrayLiteral elements: Entity...) { self.init(elements) }
}

extension EntityTable: CustomReflectable {
    /// The entities in order, as a test shows them.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: ordered, displayStyle: .collection) }
}

extension EntityTable {
    /// The ids of a table in their order.
    public struct IDs: RandomAccessCollection, Sendable {
        @usableFromInline let rows: [Row]
        @usableFromInline let order: [Int32]

        @inlinable
        init(_ table: EntityTable) {
            rows = table.rows
            order = table.order
        }

        /// 0.
        @inlinable public var startIndex: Int { 0 }
        /// The number of ids.
        @inlinable public var endIndex: Int { order.count }
        /// The id at that index.
        @inlinable public subscript(position: Int) -> Entity.ID { rows[Int(order[position])].id }
    }
}

extension EntityTable {
    /// The entities of a table in their order.
    public struct Ordered: RandomAccessCollection, Sendable {
        @usableFromInline let rows: [Row]
        @usableFromInline let order: [Int32]

        @inlinable
        init(_ table: EntityTable) {
            rows = table.rows
            order = table.order
        }

        /// 0.
        @inlinable public var startIndex: Int { 0 }
        /// The number of entities.
        @inlinable public var endIndex: Int { order.count }
        /// The entity at that index.
        @inlinable public subscript(position: Int) -> Entity { rows[Int(order[position])].entity }
    }
}
