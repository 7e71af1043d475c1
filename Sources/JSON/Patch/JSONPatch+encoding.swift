extension JSONPatch: JSONEncodable {
    public func encode(into json: inout JSONWriter) {
        operations.encode(into: &json)
    }
}

extension JSONPatch.Operation: JSONEncodable {
    public func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("op", name.description)
            json.member("from", ifPresent: from)
            json.member("path", path)
            json.member("value", ifPresent: value)
        }
    }
}
