/// Entities by their ids, in an order: normalized state, in which each thing stands once.
///
/// Every id has its entity and stands once. Look-up, insertion at the end and change in place cost the same at any size,
/// some tens of nanoseconds with ids that are integers. To insert elsewhere, to move or to remove walks over the order,
/// four bytes an entity: in a table of 100 000 it takes some 20 microseconds, whatever the ids are. An empty table is
/// five words and allocates nothing.
///
/// Each change takes a fresh `stamp` and is noted in a short log, from which `changes(since:)` makes what a patch needs.
/// Tables are equal if they hold equal entities in one order, however they came to it.
///
/// An entity must keep its id: the table goes by the one that the entity came with. It holds at most 2³¹ − 1 entities.
public struct EntityTable<Entity: Identifiable & Sendable>: Sendable, ChangeTracked where Entity.ID: Sendable {
    /// An entity, under the id that it came with.
    @usableFromInline
    struct Row: Sendable {
        @usableFromInline let id: Entity.ID
        @usableFromInline var entity: Entity

        @inlinable
        init(_ entity: Entity) {
            id = entity.id
            self.entity = entity
        }
    }

    /// The entities without gaps, in no order.
    @usableFromInline var rows: [Row] = []
    /// Where in `rows` each id stands.
    @usableFromInline var rowOfID: [Entity.ID: Int32] = [:]
    /// The places in `rows`, in the table's order. Not the ids: numbers are found and shifted faster than any of them.
    @usableFromInline var order: [Int32] = []
    @usableFromInline var log = EntityChangeLog<Entity.ID>()
    @usableFromInline var latest = ChangeToken.untouched

    /// An empty table.
    @inlinable
    public init() {}

    /// A table of these entities in their order; of those with one id only the first.
    @inlinable
    public init(_ entities: some Sequence<Entity>) {
        self.init()
        for entity in entities where !contains(entity.id) { add(entity, at: count) }
        if !isEmpty { latest = ChangeToken() }
    }

    /// Fresh after every change; equal stamps mean equal tables.
    @inlinable
    public var stamp: ChangeToken { latest }

    /// How many entities there are.
    @inlinable
    public var count: Int { order.count }

    /// Whether there are none.
    @inlinable
    public var isEmpty: Bool { order.isEmpty }

    /// Whether an entity has this id.
    @inlinable
    public func contains(_ id: Entity.ID) -> Bool { rowOfID[id] != nil }

    /// The entity of that id; nil where there is none.
    @inlinable
    public subscript(id: Entity.ID) -> Entity? {
        guard let row = rowOfID[id] else { return nil }
        return rows[Int(row)].entity
    }

    /// The entities in their order. As long as it is kept, the next change of the table copies it.
    @inlinable
    public var ordered: Ordered { Ordered(self) }

    /// The ids in their order. As long as it is kept, the next change of the table copies it.
    @inlinable
    public var ids: IDs { IDs(self) }

    /// What has changed since the table had that stamp; nil where this is too long ago, or was another table: then
    /// only a comparison tells.
    ///
    /// The log reaches back over at least the latest 16 changes.
    @inlinable
    public func changes(since stamp: ChangeToken) -> EntityDelta<Entity.ID>? {
        stamp == self.stamp ? EntityDelta([]) : log.entries(since: stamp).map { EntityDelta($0) }
    }
}

extension EntityTable: Equatable where Entity: Equatable {
    /// Whether the same entities stand in the same order. Equal stamps answer at once.
    @inlinable
    public static func == (one: EntityTable, other: EntityTable) -> Bool {
        one.stamp == other.stamp
            || one.ids.elementsEqual(other.ids) && one.ordered.elementsEqual(other.ordered)
    }
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
        /// How many there are.
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
        /// How many there are.
        @inlinable public var endIndex: Int { order.count }
        /// The entity at that index.
        @inlinable public subscript(position: Int) -> Entity { rows[Int(order[position])].entity }
    }
}
