import JSON
import Testing

/// A share of a session.
struct TestShare: Sendable {
    let server: any TestServing
    /// Below the base path.
    let path: String
    let text: String
    let answer: TestResponse

    init(_ answer: TestResponse, of server: any TestServing) throws {
        self.server = server
        self.answer = answer
        #expect(answer.status == 201)
        text = try #require(answer.json["share"]?.asString)
        path = "/shared/" + text
    }

    /// A share, used at another server.
    static func at(_ server: any TestServing, _ share: TestShare) -> TestShare {
        TestShare(server: server, path: share.path, text: share.text, answer: share.answer)
    }

    private init(server: any TestServing, path: String, text: String, answer: TestResponse) {
        (self.server, self.path, self.text, self.answer) = (server, path, text, answer)
    }

    func state(_ query: String = "", _ fields: [(String, String)] = []) async throws -> TestResponse {
        try await server.get(path + "/state" + query, fields)
    }

    func post(
        _ body: JSONValue, _ query: String = "", _ fields: [(String, String)] = []
    ) async throws -> TestResponse {
        try await server.post(path + "/actions" + query, fields, json: body)
    }

    func events(_ query: String = "", _ fields: [(String, String)] = []) async throws -> EventReader {
        try await LiveSession(server: server, path: path).events(query: query, fields)
    }

    /// The answers to all that a share is good for.
    func everything() async throws -> [TestResponse] {
        [
            try await state(), try await post(["type": "counter/increment"]),
            try await server.get(path + "/events"), try await server.send(TestRequest("HEAD", path + "/state")),
        ]
    }
}

extension LiveSession {
    /// Makes a share.
    func share(_ body: JSONValue = ["may": ["read", "act"]]) async throws -> TestShare {
        try TestShare(try await server.post(path + "/shares", json: body), of: server)
    }

    /// A share of the counter.
    func counterShare() async throws -> TestShare { try await share(["may": ["read", "act"], "select": "/counter"]) }

    /// Commits something outside of the counter.
    func commitElsewhere() async throws {
        #expect(try await dispatch("tasks/add", ["title": "a task that nobody may see"]).status == 200)
    }
}
