/// The order of a ``SortedEntityTable``.
///
///     enum ByTitle: EntityOrder {
///         static func areInOrder(_ first: Book, _ second: Book) -> Bool { first.title < second.title }
///     }
public protocol EntityOrder<Entity> {
    /// The type of the sorted entities.
    associatedtype Entity: Identifiable & Sendable where Entity.ID: Sendable

    /// Whether the first comes before the second: a strict weak order, as in `sort(by:)`.
    static func areInOrder(_ first: Entity, _ second: Entity) -> Bool
}

/// A table whose entities every change keeps sorted. Equal ones stay in the order in which they came.
///
/// The order is part of the type, so no restored state and no copy can lose it. A change of an entity that leaves its place
/// costs the same at any size; a change that moves it walks over the order, as in ``EntityTable``.
///
///     var books = SortedEntityTable<ByTitle>()
///     books.addMany(found)
public struct SortedEntityTable<Order: EntityOrder>: Sendable, ChangeTracked {
    /// The type of the entities in the table.
    public typealias Entity = Order.Entity

    @usableFromInline var sorted = EntityTable<Entity>()

    /// An empty table.
    @inlinable
    public init() {}

    /// A table of these entities. Of entities with the same id, only the first is added.
    @inlinable
    public init(_ entities: some Sequence<Entity>) {
        sorted = EntityTable(EntityTable(entities).sorted(by: Order.areInOrder))
    }

    /// The sorted entities as a table, to encode them or to find changes. A table that is set is sorted first.
    @inlinable
    public var table: EntityTable<Entity> {
        get { sorted }
        set {
            let isSorted = zip(newValue, newValue.dropFirst()).allSatisfy { !Order.areInOrder($1, $0) }
            sorted = isSorted ? newValue : EntityTable(newValue.sorted(by: Order.areInOrder))
        }
    }

    /// New after every change. Equal tokens mean equal tables.
    @inlinable public var stamp: ChangeToken { sorted.stamp }
    /// The number of entities.
    @inlinable public var count: Int { sorted.count }
    /// Whether the table has no entities.
    @inlinable public var isEmpty: Bool { sorted.isEmpty }
    /// The entities in order. While the value exists, the next change of the table copies it.
    @inlinable public var ordered: EntityTable<Entity>.Ordered { sorted.ordered }
    /// The ids in order. While the value exists, the next change of the table copies it.
    @inlinable public var ids: EntityTable<Entity>.IDs { sorted.ids }

    /// Whether an entity has this id.
    @inlinable
    public func contains(_ id: Entity.ID) -> Bool { sorted.contains(id) }

    /// The index of an id in the order; nil if there is none.
    @inlinable
    public func index(of id: Entity.ID) -> Int? { sorted.index(of: id) }

    /// The difference to an earlier version: see ``EntityTable/changes(since:)``.
    @inlinable
    public func changes(since stamp: ChangeToken) -> EntityDelta<Entity.ID>? { sorted.changes(since: stamp) }

    /// A table of the entities that fulfil a condition.
    @inlinable
    public func filter(_ isIncluded: (Entity) throws -> Bool) rethrows -> SortedEntityTable {
        var filtered = SortedEntityTable()
        filtered.sorted = try sorted.filter(isIncluded)
        return filtered
    }

    /// The entity with this id; nil if there is none. Setting nil removes it; setting an entity replaces or adds it.
    @inlinable
    public subscript(id: Entity.ID) -> Entity? {
        get { sorted[id] }
        set {
            if let newValue {
                if !update(id, { $0 = newValue }) { upsert(newValue) }
            } else {
                sorted.remove(id)
            }
        }
    }
}

extension SortedEntityTable {
    /// Adds an entity at its place. False, and no change, if the table has its id already.
    @inlinable @discardableResult
    public mutating func insert(_ entity: Entity) -> Bool { sorted.insert(entity, by: Order.areInOrder) }

    /// Changes an entity in place, and moves it if its place is another one. False if there is no such entity.
    ///
    /// If the change gives it another id, another entity that had the new id is removed.
    @inlinable @discardableResult
    public mutating func update(_ id: Entity.ID, _ change: (inout Entity) -> Void) -> Bool {
        updateMany(CollectionOfOne(id), change) == 1
    }

    /// Replaces the entity with the same id, or adds it. Returns whether it was added: see `EntityTable.upsert(_:merging:)`.
    @inlinable @discardableResult
    public mutating func upsert(
        _ entity: Entity, merging merge: (_ standing: inout Entity, _ new: Entity) -> Void = { $0 = $1 }
    ) -> Bool {
        !update(entity.id) { merge(&$0, entity) } && insert(entity)
    }

    /// Removes and returns an entity; nil if there is none.
    @inlinable @discardableResult
    public mutating func remove(_ id: Entity.ID) -> Entity? { sorted.remove(id) }

    /// Adds entities. An entity whose id the table has already is left out. Returns the number of added entities.
    @inlinable @discardableResult
    public mutating func addMany(_ entities: some Sequence<Entity>) -> Int {
        let count = sorted.count
        sorted.changeVersion { table, entries in
            for entity in entities where !table.contains(entity.id) {
                table.insertSorted(entity, by: Order.areInOrder, &entries)
            }
        }
        return sorted.count - count
    }

    /// Replaces all entities by these: see `EntityTable.setAll(_:)`.
    @inlinable
    public mutating func setAll(_ entities: some Sequence<Entity>) {
        var next = EntityTable<Entity>()
        next.upsertMany(entities)
        sorted.setAll(next.sorted(by: Order.areInOrder))
    }

    /// Changes entities, each as ``update(_:_:)`` does. Returns the number of ids that were found.
    @inlinable @discardableResult
    public mutating func updateMany(_ ids: some Sequence<Entity.ID>, _ change: (inout Entity) -> Void) -> Int {
        var found = 0
        sorted.changeVersion { table, entries in
            for id in ids where table.changeSorted(id, by: Order.areInOrder, &entries, change) { found += 1 }
        }
        return found
    }

    /// Replaces or adds entities, each as ``upsert(_:merging:)`` does. Returns the number of added entities.
    @inlinable @discardableResult
    public mutating func upsertMany(
        _ entities: some Sequence<Entity>,
        merging merge: (_ standing: inout Entity, _ new: Entity) -> Void = { $0 = $1 }
    ) -> Int {
        var added = 0
        sorted.changeVersion { table, entries in
            for entity in entities
            where !table.changeSorted(entity.id, by: Order.areInOrder, &entries, { merge(&$0, entity) }) {
                table.insertSorted(entity, by: Order.areInOrder, &entries)
                added += 1
            }
        }
        return added
    }

    /// Removes entities. Returns the number of removed entities.
    @inlinable @discardableResult
    public mutating func removeMany(_ ids: some Sequence<Entity.ID>) -> Int { sorted.removeMany(ids) }

    /// Removes all entities. The table keeps the log of its changes.
    @inlinable
    public mutating func removeAll() { sorted.removeAll() }
}

extension SortedEntityTable: Sequence {
    /// Goes through the entities in order.
    @inlinable
    public func makeIterator() -> EntityTable<Entity>.Ordered.Iterator { sorted.makeIterator() }

    /// The number of entities.
    @inlinable
    public var underestimatedCount: Int { count }
}

extension SortedEntityTable: ExpressibleByArrayLiteral {
    /// A table of these entities. Of entities with the same id, only the first is added.
    @inlinable
    public init(arrayLiteral elements: Entity...) { self.init(elements) }
}

extension SortedEntityTable: Equatable where Order.Entity: Equatable {}

extension SortedEntityTable: CustomReflectable {
    /// The entities in order, as a test shows them.
    public var customMirror: Mirror { sorted.customMirror }
}

extension SortedEntityTable: KeyedElements {
    /// The ids in order.
    @inlinable public var elementKeys: [Entity.ID] { [Entity.ID](ids) }

    @inlinable
    public func element(of key: Entity.ID) -> Entity? { sorted[key] }

    @inlinable
    public mutating func changeElement(of key: Entity.ID, _ change: (inout Entity) -> Void) { update(key, change) }
}

extension EntityTable {
    /// Makes one version of the changes whose entries `body` adds.
    @inlinable
    mutating func changeVersion(_ body: (inout EntityTable, inout [EntityChangeLogEntry<Entity.ID>]) -> Void) {
        var entries: [EntityChangeLogEntry<Entity.ID>] = []
        body(&self, &entries)
        logVersion(entries)
    }

    @inlinable
    mutating func insertSorted(
        _ entity: Entity, by areInOrder: (Entity, Entity) -> Bool, _ entries: inout [EntityChangeLogEntry<Entity.ID>]
    ) {
        let index = sortedIndex(of: entity, by: areInOrder)
        add(entity, at: index)
        entries.append(EntityChangeLogEntry(before: latest, id: entity.id, from: nil, to: index))
    }

    /// Changes an entity of a sorted table. False if there is none.
    @inlinable
    mutating func changeSorted(
        _ id: Entity.ID, by areInOrder: (Entity, Entity) -> Bool,
        _ entries: inout [EntityChangeLogEntry<Entity.ID>], _ change: (inout Entity) -> Void
    ) -> Bool {
        guard let row = rowOfID[id] else { return false }
        let before = rows[Int(row)].entity
        change(&rows[Int(row)].entity)
        let entity = rows[Int(row)].entity
        if countsAsUnchanged(before, entity) { return true }
        noteUpdate(of: id, row, &entries)
        let isMoved = areInOrder(before, entity) || areInOrder(entity, before)
        guard isMoved, let old = index(of: entity.id) else { return true }
        let moved = order.remove(at: old)
        let index = sortedIndex(of: entity, by: areInOrder)
        order.insert(moved, at: index)
        if index != old {
            entries.append(EntityChangeLogEntry(before: latest, id: entity.id, from: old, to: index))
        }
        return true
    }
}
