import JSON

/// An answer as a client sees it.
struct TestResponse: Sendable {
    let status: Int
    /// Names in lower case.
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// Of the request.
    var method = "GET"

    init(status: Int) { self.status = status }

    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The value of a field; nil where it stands not exactly once.
    subscript(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body without the id of its request, which differs in each answer.
    var textWithoutRequestID: String { text.replacing(/,"requestId":"[^"]*"/, with: "") }

    /// The body; null where it is no JSON.
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

    subscript(json name: String) -> JSONValue? { json[name] }

    /// The stable word of a problem; nil where this is none in full.
    var code: String? {
        guard self["content-type"] == "application/problem+json", json["status"] == .integer(status),
            let type = json["type"]?.asString, !type.isEmpty, let title = json["title"]?.asString, !title.isEmpty,
            let detail = json["detail"]?.asString, !detail.isEmpty,
            let id = json["requestId"]?.asString, id == self["x-request-id"]
        else { return nil }
        return json["code"]?.asString
    }

    /// The revision in the entity tag, which must name a history too.
    var taggedRevision: Int? {
        self["etag"]?.wholeMatch(of: /"([0-9]+)\.[0-9a-z][0-9a-z.]*"/).flatMap { Int($0.1) }
    }

    var revision: Int? { json["revision"]?.asInteger }

    /// The value at a pointer into the body.
    func at(_ pointer: String) -> JSONValue? {
        (try? JSONPointer(pointer)).flatMap { $0.value(in: json) }
    }
}
