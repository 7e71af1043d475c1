public import JSON

/// Written as `{"entities":{"1":{…},"2":{…}},"ids":[1,2]}`, both in the table's order.
extension EntityTable: JSONEncodable
where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
    /// Writes the object with `entities` and `ids`.
    @inlinable
    public func encode(into json: inout JSONWriter) {
        json.object { encodeMembers(into: &$0) }
    }

    /// Writes `entities` and `ids` into an object that is open, beside other members.
    @inlinable
    public func encodeMembers(into json: inout JSONWriter) {
        json.name("entities")
        json.object { json in
            for (id, entity) in zip(ids, ordered) { json.member(name: id.description, entity) }
        }
        json.name("ids")
        json.array { json in
            for id in ids { json.value(id) }
        }
    }
}
