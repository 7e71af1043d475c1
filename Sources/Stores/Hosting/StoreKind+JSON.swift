public import JSON

// A kind as a server lists it.
extension StoreKind: JSONEncodable {
    public func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("summary", summary)
            json.member("initialState", raw: initialState)
            json.member(
                "selectors",
                array: { json in
                    for selector in selectors {
                        json.object { json in
                            json.member("name", selector.name)
                            json.member("summary", selector.summary)
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
    public func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("type", type)
            json.member("summary", summary)
            json.member("audience", audience.rawValue)
            json.member("payload", payload)
            json.member("example", example)
        }
    }
}
