import JSON
import Testing

/// If-Match on actions: commit at that revision, or not at all.
@Suite struct ConditionTests {
    @Test(arguments: [
        "\"1\"", "*", "\"0\", \"1\"", "\"7\",\"1\"", " \"1\" ", "\"x\", \"1\"", "W/\"1\", \"1\"", ", \"1\",",
    ])
    func aConditionThatHoldsCommits(_ condition: String) async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            _ = try await session.increment()
            let response = try await session.dispatch("counter/increment", fields: [("If-Match", condition)])
            #expect(response.status == 200)
            #expect(response.revision == 2)
        }
    }

    // A weak tag matches nothing where strong comparison is asked for (RFC 9110, section 13.1.1).
    @Test(arguments: ["\"0\"", "\"2\"", "\"0\", \"2\"", "W/\"1\"", "\"01\"", "\"+1\"", "\"\"", "\"x\""])
    func aConditionThatDoesNotHoldCommitsNothing(_ condition: String) async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            _ = try await session.increment()
            let response = try await session.dispatch("counter/increment", fields: [("If-Match", condition)])
            #expect(response.status == 412)
            #expect(response.code == "revision-mismatch")
            #expect(response.taggedRevision == 1)
            #expect(try await session.revision() == 1)
        }
    }

    @Test(arguments: ["1", "\"1", "w/\"1\"", "\"1\" \"2\"", "*, \"1\"", "\"1\"; q=1", ""])
    func whatIsNoEntityTagIsRefused(_ condition: String) async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            _ = try await session.increment()
            let response = try await session.dispatch("counter/increment", fields: [("If-Match", condition)])
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
            #expect(try await session.revision() == 1)
        }
    }

    @Test func aListMayStandInSeveralLines() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let response = try await session.dispatch(
                "counter/increment", fields: [("If-Match", "\"7\""), ("If-Match", "\"0\"")])
            #expect(response.status == 200)
        }
    }

    @Test(arguments: ["app", "login"])
    func oneOfManyWithTheSameConditionCommits(_ store: String) async throws {
        try await LiveServer.run { server in
            let session = try await server.session(store)
            let request = session.request(
                "login/enteringCredential", ["username": "name"], fields: [("If-Match", "\"0\"")])
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 { group.addTask { try await server.send(request).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0 == 200 }.count == 1)
            #expect(answers.filter { $0 == 412 }.count == 15)
            #expect(try await session.revision() == 1)
        }
    }
}
