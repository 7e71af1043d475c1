import JSON

/// Answers the requests of a test: a server on a port, or an API in memory.
protocol TestServing: Sendable {
    var log: LogLines { get }

    /// - Parameter receiveBuffer: how many bytes the system keeps for the client; nil for as many as it likes.
    func client(receiveBuffer: Int32?) throws -> TestClient
}

extension TestServing {
    func client() throws -> TestClient { try client(receiveBuffer: nil) }

    /// Sends a request on a connection of its own, which must end after the answer.
    func send(_ request: TestRequest) async throws -> TestResponse {
        let client = try client()
        let response = try await client.exchange(request.with("Connection", "close"))
        guard response["connection"] == "close", try await client.rest().isEmpty else {
            throw Wire.Failure.malformed("something behind the answer")
        }
        return response
    }

    func get(_ path: String, _ fields: [(String, String)] = []) async throws -> TestResponse {
        try await send(TestRequest("GET", path, fields))
    }

    func post(_ path: String, _ fields: [(String, String)] = [], json: JSONValue) async throws -> TestResponse {
        try await send(TestRequest("POST", path, fields, json: json))
    }

    func delete(_ path: String) async throws -> TestResponse { try await send(TestRequest("DELETE", path)) }

    func session(_ store: String = "app") async throws -> LiveSession {
        let response = try await post("/sessions", json: ["store": .string(store)])
        guard response.status == 201, let path = response["location"] else {
            throw Wire.Failure.malformed("no session but \(response.status)")
        }
        return LiveSession(server: self, path: path)
    }

    /// Asks again until the answer is as it should be; gives up in the end.
    func eventually(
        _ request: TestRequest, _ isAsItShould: (TestResponse) -> Bool
    ) async throws -> TestResponse {
        let limit = ContinuousClock.now + .seconds(Wire.waitTimeout)
        let client = try client()
        while true {
            let response = try await client.exchange(request)
            if isAsItShould(response) { return response }
            guard ContinuousClock.now < limit else { throw Wire.Failure.tookTooLong }
            try await takeBreath()
        }
    }
}
