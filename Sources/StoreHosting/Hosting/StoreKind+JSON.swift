public import JSON
public import Stores

extension StoreKind {
    /// Writes the kind as a server lists it.
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("summary", summary)
            json.member("initialState", raw: initialState)
            json.member("version", version)
            json.member("state", stateSchema)
            json.member(
                "selectors",
                array: { json in
                    for selector in selectors {
                        json.object { json in
                            json.member("name", selector.name)
                            json.member("summary", selector.summary)
                            if selector.dependsOnActor { json.member("dependsOn", "actor") }
                        }
                    }
                })
            json.member(
                "actions",
                array: { json in
                    for action in actions { json.value(action) }
                })
        }
    }
}

extension StoreKind.ActionDescription: JSONEncodable {
    @usableFromInline
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("type", type)
            json.member("summary", summary)
            json.member("audience", audience.text)
            if !reasons.isEmpty { json.member("reasons", reasons) }
            if !filled.isEmpty {
                json.name("filled")
                json.object { json in
                    for member in filled { json.member(name: member.name, member.filler.rawValue) }
                }
            }
            json.member("payload", payload)
            json.member("example", example)
        }
    }
}

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
    package func encodeMembers(into json: inout JSONWriter) {
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
