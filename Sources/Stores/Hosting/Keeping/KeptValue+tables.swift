import JSON

extension KeptValue {
    /// The table whose members `entities` and `ids` stand in this object.
    public func table<Entity: Restorable>() throws(RestorationFailure) -> EntityTable<Entity>
    where Entity.ID: Restorable & LosslessStringConvertible {
        let ids: [Entity.ID] = try member("ids")
        let entities: JSONValue = try member("entities")
        guard let rows = entities.asObject else { throw unreadable("must be an object", below: "entities") }
        var read: [Entity] = []
        read.reserveCapacity(ids.count)
        for id in ids {
            let name = id.description
            guard let row = rows[name] else {
                throw unreadable("is missing", below: name).below("entities")
            }
            let entity: Entity
            do throws(RestorationFailure) { entity = try self.read(row, at: name) } catch {
                throw error.below("entities")
            }
            guard entity.id == id else { throw unreadable("stands under another's id", below: name).below("entities") }
            read.append(entity)
        }
        let table = EntityTable(read)
        guard table.count == ids.count, rows.count == ids.count else {
            throw unreadable("must name each of the entities once", below: "ids")
        }
        return table
    }
}
