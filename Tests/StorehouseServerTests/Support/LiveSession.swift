import JSON

/// A session of a server, or of an API in memory.
struct LiveSession: Sendable {
    let server: any TestServing
    let path: String
    var id: String { String(path.dropFirst("/sessions/".count)) }

    /// A request that dispatches an action.
    func request(
        _ type: String, _ payload: JSONValue? = nil, query: String = "", fields: [(String, String)] = []
    ) -> TestRequest {
        var action: JSONObject = ["type": .string(type)]
        action["payload"] = payload
        return TestRequest("POST", path + "/actions" + query, fields, json: .object(action))
    }

    func dispatch(
        _ type: String, _ payload: JSONValue? = nil, query: String = "", fields: [(String, String)] = []
    ) async throws -> TestResponse {
        try await server.send(request(type, payload, query: query, fields: fields))
    }

    func increment(_ by: Int = 1) async throws -> TestResponse {
        try await dispatch("counter/increment", ["by": .integer(by)])
    }

    func post(_ body: JSONValue, _ fields: [(String, String)] = []) async throws -> TestResponse {
        try await server.post(path + "/actions", fields, json: body)
    }

    func read(_ below: String = "", _ fields: [(String, String)] = []) async throws -> TestResponse {
        try await server.get(path + below, fields)
    }

    /// The state, or a value in it.
    func state(_ pointer: String = "") async throws -> JSONValue? {
        try await read("/state").at("/state" + pointer)
    }

    func revision() async throws -> Int? { try await read("/state").revision }

    func delete() async throws -> TestResponse { try await server.delete(path) }

    /// Opens a stream, which must begin as the contract says.
    func events(
        query: String = "", _ fields: [(String, String)] = [], receiveBuffer: Int32? = nil
    ) async throws -> EventReader {
        let client = try server.client(receiveBuffer: receiveBuffer)
        try await client.send(TestRequest("GET", path + "/events" + query, fields).bytes)
        return try await EventReader(client)
    }
}
