import JSON
import Journal
import Testing

/// If-Match on actions: commit at that revision, or not at all.
@Suite struct ConditionTests {
    @Test(arguments: [
        "\"1\"", "*", "\"0\", \"1\"", "\"7\",\"1\"", " \"1\" ", "\"x\", \"1\"", "W/\"1\", \"1\"", ", \"1\",",
    ])
    func aConditionThatHoldsCommits(_ condition: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment()
            let response = try await session.dispatch("counter/increment", fields: [("If-Match", condition)])
            #expect(response.status == 200)
            #expect(response.revision == 2)
        }
    }

    // A weak tag matches nothing where strong comparison is asked for (RFC 9110, section 13.1.1).
    @Test(arguments: ["\"0\"", "\"2\"", "\"0\", \"2\"", "W/\"1\"", "\"01\"", "\"+1\"", "\"\"", "\"x\""])
    func aConditionThatDoesNotHoldCommitsNothing(_ condition: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment()
            let response = try await session.dispatch("counter/increment", fields: [("If-Match", condition)])
            #expect(response.status == 412)
            #expect(response.code == "revision-mismatch")
            #expect(response.taggedRevision == 1)
            #expect(try await session.revision() == 1)
        }
    }

    @Test func aWeakTagIsToldWhyItNeverMatches() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let tag = try #require(try await session.increment()["etag"])
            let share = LiveSession(server: api, path: try await session.share().path)
            let weak = [("If-Match", "W/\(tag)")]
            for answer in [
                try await session.dispatch("counter/increment", fields: weak),
                try await session.dispatch("counter/increment", query: "?dryRun=true", fields: weak),
                try await share.dispatch("counter/increment", fields: weak),
                try await session.read("/state", weak), try await share.read("/state", weak),
                try await api.send(TestRequest("PUT", session.path, weak)),
                try await api.send(TestRequest("DELETE", session.path, weak)),
            ] {
                #expect(answer.status == 412 && answer["etag"] == tag)
                let detail = try #require(answer.json["detail"]?.asString)
                #expect(detail.contains("weak tags never match there (RFC 9110, section 13.1.1)"))
            }
            let strong = try await session.dispatch("counter/increment", fields: [("If-Match", "\"7\"")])
            #expect(strong.status == 412)
            #expect(strong.json["detail"]?.asString?.contains("weak") == false)
        }
    }

    @Test func theTagOfAResponseIsACondition() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let tag = try #require(try await session.increment()["etag"])
            let history = tag.dropFirst(3).dropLast()
            #expect(!history.isEmpty)
            #expect(try await session.read("/state")["etag"] == tag)
            #expect(try await session.read("/state?revision=1")["etag"] == tag)
            let other = try #require(try await api.session().read("/state")["etag"])
            #expect(other.hasPrefix("\"0.") && !other.contains(history))
            for condition in [tag, "W/\(tag)", "\"1\"", "W/\"1\"", "*", "\"7\", \(tag)"] {
                let answer = try await session.read("/state", [("If-None-Match", condition)])
                #expect(answer.status == 304 && answer["etag"] == tag, "\(condition)")
            }
            for condition in ["\"1.x\"", "\"1.\(history)x\"", "\"1.\"", "\"0.\(history)\"", "\"2\"", "\"\(history)\""] {
                #expect(try await session.read("/state", [("If-None-Match", condition)]).status == 200, "\(condition)")
                let refused = try await session.dispatch("counter/increment", fields: [("If-Match", condition)])
                #expect(refused.status == 412 && refused["etag"] == tag, "\(condition)")
            }
            #expect(try await session.dispatch("counter/increment", fields: [("If-Match", "W/\(tag)")]).status == 412)
            #expect(try await session.dispatch("counter/increment", fields: [("If-Match", tag)]).status == 200)
            #expect(try await session.dispatch("counter/increment", fields: [("If-Match", tag)]).status == 412)
        }
    }

    /// RFC 9110, section 13.2.2: If-Match comes first.
    @Test(arguments: [
        ("\"1\"", nil, 200), ("*", nil, 200), ("\"0\"", nil, 412), ("W/\"1\"", nil, 412), ("\"0\"", "\"1\"", 412),
        ("\"1\"", "\"1\"", 304), ("\"1\"", "\"0\"", 200), ("1", nil, 400),
    ])
    func aReadHasConditions(match: String, noneMatch: String?, status: Int) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment()
            let fields = [("If-Match", match)] + (noneMatch.map { [("If-None-Match", $0)] } ?? [])
            for path in ["/state", "/state?revision=1", "/state?select=/counter"] {
                let answer = try await session.read(path, fields)
                #expect(answer.status == status, "\(path)")
                if status != 400 { #expect(answer.taggedRevision == 1) }
                if status == 412 { #expect(answer.code == "revision-mismatch") }
            }
            // The revision that is read counts, not the newest.
            _ = try await session.increment()
            #expect(try await session.read("/state?revision=1", fields).status == status)
            let share = try await session.counterShare()
            let shown = try await share.state("", [("If-Match", "\"2\"")])
            #expect(shown.status == 200)
            let refused = try await share.state("", [("If-Match", "\"1\"")])
            #expect(refused.status == 412 && refused.taggedRevision == 2)
        }
    }

    @Test func aDeletionHasConditions() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let tag = try #require(try await session.increment()["etag"])
            for (name, value, status) in [
                ("If-Match", "\"0\"", 412), ("If-Match", "W/\(tag)", 412), ("If-None-Match", "*", 412),
                ("If-Match", "1", 400),
            ] {
                let refused = try await api.send(TestRequest("DELETE", session.path, [(name, value)]))
                #expect(refused.status == status, "\(name): \(value)")
                if status == 412 { #expect(refused["etag"] == tag) }
            }
            #expect(try await session.revision() == 1)
            #expect(try await api.send(TestRequest("DELETE", session.path, [("If-Match", tag)])).status == 204)
            // A request that would be refused anyway has no conditions.
            #expect(try await api.send(TestRequest("DELETE", session.path, [("If-Match", "\"0\"")])).status == 410)
        }
    }

    @Test func aCreationHasConditions() async throws {
        try await TestAPI.run { api in
            let path = "/sessions/0123456789abcdefABCDEg"
            func put(_ fields: [(String, String)]) async throws -> TestResponse {
                try await api.send(TestRequest("PUT", path, fields))
            }
            #expect(try await put([("If-Match", "*")]).code == "no-such-session")
            #expect(try await api.get(path).status == 404)
            #expect(try await put([("If-None-Match", "*")]).status == 201)
            let again = try await put([("If-None-Match", "*")])
            #expect(again.status == 412 && again.taggedRevision == 0)
            #expect(try await put([("If-Match", "\"0\"")]).status == 200)
            #expect(try await put([("If-Match", "\"1\"")]).status == 412)
            let other = TestRequest("PUT", path, [("If-None-Match", "*")], json: ["store": "planner"])
            #expect(try await api.send(other).status == 409)
        }
    }

    /// A revision of a restored backup may be another state than before.
    @Test func aRestoredBackupHasAnotherHistory() async throws {
        let (durable, backup) = (try DurableServer(), try DurableServer())
        let (path, tag) = try await durable.runAPI { api in
            let session = try await api.session()
            return (session.path, try #require(try await session.increment()["etag"]))
        }
        try await durable.runAPI { api in
            let later = try await api.get(path + "/state")
            #expect(later["etag"] == tag)
        }
        try SQLiteStorage.backup(durable.path, to: backup.path)
        try await backup.run { api in
            let session = LiveSession(server: api, path: path)
            let answer = try await session.read("/state", [("If-None-Match", tag)])
            #expect(answer.status == 200 && answer.taggedRevision == 1 && answer["etag"] != tag)
            #expect(try await session.dispatch("counter/increment", fields: [("If-Match", tag)]).status == 412)
            #expect(try await session.dispatch("counter/increment", fields: [("If-Match", "\"1\"")]).status == 200)
        }
    }

    @Test(arguments: ["1", "\"1", "w/\"1\"", "\"1\" \"2\"", "*, \"1\"", "\"1\"; q=1", ""])
    func whatIsNoEntityTagIsRefused(_ condition: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment()
            let response = try await session.dispatch("counter/increment", fields: [("If-Match", condition)])
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
            #expect(try await session.revision() == 1)
        }
    }

    @Test func aListMayStandInSeveralLines() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
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
