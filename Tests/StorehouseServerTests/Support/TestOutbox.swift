import JSON
import Testing

/// A client of `…/sync` that numbers its entries itself.
struct TestOutbox: Sendable {
    static let usualClient = "kJ2vQ5Zr8mXw1bTn3yLd7A"

    let server: any TestServing
    /// Of a session or a share.
    let path: String
    var client = TestOutbox.usualClient
    var fields: [(String, String)] = []

    init(_ session: LiveSession, client: String = TestOutbox.usualClient, _ fields: [(String, String)] = []) {
        (server, path, self.client, self.fields) = (session.server, session.path, client, fields)
    }

    init(_ share: TestShare, client: String = TestOutbox.usualClient) {
        (server, path, self.client) = (share.server, share.path, client)
    }

    /// The client, with its entries sent to another server.
    func at(_ server: any TestServing) -> TestOutbox {
        TestOutbox(LiveSession(server: server, path: path), client: client, fields)
    }

    static func entry(_ type: String, _ payload: JSONValue? = nil, ifMatch: String? = nil) -> JSONValue {
        var action: JSONObject = ["type": .string(type)]
        action["payload"] = payload
        return entry([.object(action)], ifMatch: ifMatch)
    }

    static func entry(_ actions: [JSONValue], ifMatch: String? = nil) -> JSONValue {
        var entry: JSONObject = ["actions": .array(actions)]
        entry["ifMatch"] = ifMatch.map(JSONValue.string)
        return .object(entry)
    }

    /// Adds one to the counter.
    static let increment = entry("counter/increment", ["by": 1])

    func post(_ body: JSONValue, query: String = "") async throws -> TestResponse {
        try await server.post(path + "/sync" + query, fields, json: body)
    }

    /// The body of a request with entries.
    func body(from: Int, _ entries: [JSONValue]) -> JSONValue {
        ["client": .string(client), "from": .integer(from), "entries": .array(entries)]
    }

    /// Begins the record.
    @discardableResult
    func begin() async throws -> TestResponse {
        let answer = try await post(["client": .string(client), "new": true, "from": 1])
        #expect(answer.status == 200)
        return answer
    }

    func send(from: Int, _ entries: JSONValue...) async throws -> TestResponse {
        try await post(body(from: from, entries))
    }

    /// Asks for the kept outcomes.
    func read(from: Int) async throws -> TestResponse {
        try await post(["client": .string(client), "from": .integer(from)])
    }
}

extension TestResponse {
    /// The results of an outbox: the number and the outcome of each, and `again` behind those that were not run now.
    var results: [String] {
        (json["results"]?.asArray ?? []).map { result in
            "\(result["n"] ?? .null) \(result["outcome"]?.asString ?? "")\(result["replayed"] == true ? " again" : "")"
        }
    }
}
