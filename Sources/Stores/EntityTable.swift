/// Entities by their ids, in an order: normalized state, in which each thing stands once.
///
/// Look-up, insertion at the end and change cost the same at any size; to move or remove shifts the ids behind.
/// Every id has its entity and stands once.
public struct EntityTable<Entity: Identifiable & Sendable>: Sendable where Entity.ID: Sendable {
    /// Every entity, by its id.
    public private(set) var entities: [Entity.ID: Entity] = [:]
    /// The ids in their order.
    public private(set) var ids: [Entity.ID] = []

    /// An empty table.
    public init() {}

    /// How many entities there are.
    public var count: Int { ids.count }
    /// Whether there are none.
    public var isEmpty: Bool { ids.isEmpty }

    /// The entities in the order of their ids.
    public var ordered: some Sequence<Entity> { ids.lazy.compactMap { entities[$0] } }

    /// Whether an entity has this id.
    public func contains(_ id: Entity.ID) -> Bool { entities[id] != nil }

    /// The entity of that id; nil where there is none.
    public subscript(id: Entity.ID) -> Entity? { entities[id] }

    /// Adds `entity` at the end; false, and no change, where its id is there already.
    @discardableResult
    public mutating func insert(_ entity: Entity) -> Bool {
        guard entities[entity.id] == nil else { return false }
        entities[entity.id] = entity
        ids.append(entity.id)
        return true
    }

    /// Changes the entity in place; its id stays what it is. False where there is none.
    @discardableResult
    public mutating func update(_ id: Entity.ID, _ change: (inout Entity) -> Void) -> Bool {
        guard let index = entities.index(forKey: id) else { return false }
        change(&entities.values[index])
        return true
    }

    /// Takes the entity out; nil where there is none.
    @discardableResult
    public mutating func remove(_ id: Entity.ID) -> Entity? {
        guard let entity = entities.removeValue(forKey: id) else { return nil }
        ids.removeAll { $0 == id }
        return entity
    }

    /// Moves an id to `index`; past the end is the end. False where there is no such id.
    @discardableResult
    public mutating func move(_ id: Entity.ID, to index: Int) -> Bool {
        guard entities[id] != nil, let old = ids.firstIndex(of: id) else { return false }
        ids.remove(at: old)
        ids.insert(id, at: min(max(index, 0), ids.count))
        return true
    }
}

extension EntityTable: Equatable where Entity: Equatable {}
