import JSON

/// A request, to be sent as it stands.
struct TestRequest: Sendable {
    var method: String
    var path: String
    var fields: [(String, String)] = []
    var body: [UInt8]?

    init(_ method: String, _ path: String, _ fields: [(String, String)] = [], body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
    }

    init(_ method: String, _ path: String, _ fields: [(String, String)] = [], json: JSONValue) {
        self.init(method, path, [("Content-Type", "application/json")] + fields, body: Array(json.description.utf8))
    }

    func with(_ name: String, _ value: String) -> TestRequest {
        var request = self
        request.fields.append((name, value))
        return request
    }

    var bytes: [UInt8] {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (body ?? [])
    }
}
