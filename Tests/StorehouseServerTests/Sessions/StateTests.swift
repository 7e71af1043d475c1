import JSON
import Testing

/// Reading the state: whole, narrowed, and only if it changed.
@Suite struct StateTests {
    @Test func theStateComesWithItsRevision() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment(3)
            let response = try await session.read("/state")
            #expect(response.status == 200)
            #expect(response["content-type"] == "application/json")
            #expect(response.taggedRevision == 1)
            #expect(response.json.asObject?.names == ["revision", "state"])
            #expect(response.revision == 1)
            #expect(
                response[json: "state"]?.asObject?.names == [
                    "counter", "user", "betslip", "animal", "login", "tasks", "calendar", "trends", "settings",
                ])
        }
    }

    @Test(
        arguments: [
            ("/counter/count", 7), ("/counter", ["count": 7]), ("%2Fcounter%2Fcount", 7),
            ("/tasks/entities/1/title", "a/b~c"), ("/tasks/ids/0", 1), ("/tasks/ids/00", .null),
            ("/tasks/ids/-", .null),
            ("/tasks/ids/1", .null), ("/nothing", .null), ("/counter/count/deeper", .null), ("/", .null), ("//", .null),
        ] as [(String, JSONValue)])
    func aPointerNarrows(_ pointer: String, _ value: JSONValue) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment(7)
            _ = try await session.dispatch("tasks/add", ["title": "a/b~c"])
            let response = try await session.read("/state?select=\(pointer)")
            #expect(response.status == 200)
            #expect(response.revision == 2)
            #expect(response[json: "state"] == value)
        }
    }

    @Test(arguments: ["app", "planner"])
    func aNamedSelectorIsUsedLikeAPointer(_ store: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session(store)
            for title in ["one", "two", "three"] {
                _ = try await session.dispatch("tasks/add", ["title": .string(title)])
            }
            _ = try await session.dispatch("tasks/favorite", ["id": 3])
            _ = try await session.dispatch("tasks/edit", ["id": 1, "isDone": true])
            let summary = try await session.read("/state?select=summary")
            #expect(summary[json: "state"] == ["open": 2, "done": 1, "favorites": 1, "overdue": 0])
            let favorites = try await session.read("/state?select=favoriteTasks")
            #expect(favorites.at("/state/0/title") == "three")
        }
    }

    @Test func withoutAValueSelectIsTheWholeState() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("planner")
            #expect(try await session.read("/state?select=").at("/state/tasks/ids") == [])
        }
    }

    @Test(arguments: ["counter", "/a~", "/a~2", "summary/open", "Summary", "counter/count"])
    func aMalformedPointerIsRefusedAndHelped(_ pointer: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for path in ["/state", "/events"] {
                let response = try await session.read("\(path)?select=\(pointer)")
                #expect(response.status == 400)
                #expect(response.code == "malformed-pointer")
            }
            #expect(try await session.read("/state?select=x")[json: "detail"]?.asString?.contains("summary") == true)
        }
    }

    @Test(arguments: [
        ("\"1\"", 304), ("W/\"1\"", 304), ("*", 304), ("\"0\", \"1\"", 304), ("\"0\"", 200), ("\"2\"", 200),
        ("\"01\"", 200), ("1", 400), ("\"1", 400),
    ])
    func anUnchangedStateIsNotSentAgain(_ condition: String, _ status: Int) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment()
            for method in ["GET", "HEAD"] {
                let response = try await api.send(
                    TestRequest(method, session.path + "/state", [("If-None-Match", condition)]))
                #expect(response.status == status)
                if status != 400 { #expect(response.taggedRevision == 1) }
            }
        }
    }

    @Test func otherFormatsAreNotAcceptable() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for accept in [
                "text/html", "application/json;q=0", "image/*, text/*;q=0.5", "application/json;charset=latin1",
            ] {
                #expect(try await session.read("/state", [("Accept", accept)]).code == "not-acceptable")
            }
            for accept in [
                "*/*", "application/*", "text/html, */*;q=0.1", "application/json", "application/json; charset=UTF-8",
            ] {
                #expect(try await session.read("/state", [("Accept", accept)]).status == 200)
            }
            #expect(try await session.read("/events", [("Accept", "application/json")]).code == "not-acceptable")
        }
    }
}
