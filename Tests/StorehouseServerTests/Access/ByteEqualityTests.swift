import JSON
import StoreHosting
import StorehouseServer
import Testing

/// Clients and other services compare bytes: two forms of one letter are two texts, although Swift holds them for equal.
@Suite struct ByteEqualityTests {
    private static let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")

    enum Storage: CaseIterable { case memory, file, redis }

    /// Runs two servers one after the other; in memory, one server for both.
    private static func run(
        _ storage: Storage, _ configuration: Configuration = .with(), _ first: (TestAPI) async throws -> Void,
        afterRestart second: (TestAPI) async throws -> Void
    ) async throws {
        guard storage != .memory else {
            return try await TestAPI.run(configuration: configuration) { api in
                try await first(api)
                try await second(api)
            }
        }
        let durable = try DurableServer(onRedis: storage == .redis)
        try await durable.runAPI(configuration: configuration, first)
        try await durable.runAPI(configuration: configuration, second)
    }

    @Test(arguments: Storage.allCases)
    func anEditOfTheFormOfALetterIsShownEverywhere(storage: Storage) async throws {
        var (path, stream) = ("", JSONValue.null)
        try await Self.run(storage) { api in
            let session = try await api.session()
            path = session.path
            _ = try await session.dispatch("tasks/add", ["title": .string(Self.composed)])
            let events = try await session.events(query: "?changes=patch")
            stream = try #require(try await events.state().state)
            let edited = try await session.dispatch("tasks/edit", ["id": 1, "title": .string(Self.decomposed)])
            #expect(edited.revision == 2 && edited[json: "outcome"] == "committed")
            #expect(edited.at("/state/tasks/entities/1/title") == .string(Self.decomposed))
            let event = try #require(try await events.event())
            let wanted: JSONValue = [
                ["op": "replace", "path": "/tasks/entities/1/title", "value": .string(Self.decomposed)]
            ]
            #expect(event.name == "patch" && event.data["patch"] == wanted)
            stream = try #require(try event.applied(to: stream))
            #expect(try await session.state() == stream)
            let log = try await session.read("/actions").json["actions"]?.asArray?.last
            #expect(log?["payload"]?["title"] == .string(Self.decomposed))
        } afterRestart: { api in
            let session = LiveSession(server: api, path: path)
            #expect(try await session.state() == stream)
            let past = try await session.read("/state?revision=1&select=/tasks/entities/1/title")
            #expect(past.json["state"] == .string(Self.composed))
            let other = try await session.dispatch("tasks/edit", ["id": 1, "isDone": true])
            #expect(other.at("/state/tasks/entities/1/title") == .string(Self.decomposed))
            // Back again, with the other bytes.
            let back = try await session.dispatch("tasks/edit", ["id": 1, "title": .string(Self.composed)])
            #expect(back.at("/state/tasks/entities/1/title") == .string(Self.composed))
            #expect(try await session.read("/state").at("/state/tasks/entities/1/title") == .string(Self.composed))
        }
    }

    @Test(arguments: Storage.allCases)
    func twoSubjectsThatSwiftHoldsForEqualAreTwoUsers(storage: Storage) async throws {
        let subjects = [Self.composed, Self.decomposed, "Kim", "\u{212a}im"]
        var ids: [JSONValue?] = []
        try await Self.run(storage, TestTokens.configuration()) { api in
            for subject in subjects {
                ids.append(try await api.send("GET", "/sessions/me", as: subject).json["id"])
                _ = try await api.send(
                    "POST", "/sessions/me/actions", as: subject, nil, ["type": "counter/increment"])
            }
            #expect(Set(ids).count == 4 && !ids.contains(nil))
        } afterRestart: { api in
            for (subject, id) in zip(subjects, ids) {
                let mine = try await api.send("GET", "/sessions/me", as: subject)
                #expect(mine.json["id"] == id && mine.json["owner"] == .string(subject))
                let path = "/sessions/" + (id?.asString ?? "")
                for other in subjects {
                    let status = try await api.send("GET", path, as: other).status
                    #expect(status == (Subject(other) == Subject(subject) ? 200 : 403), "\(other) reads \(subject)")
                }
                let query = Array(subject.utf8).map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                let list = try await api.get(
                    "/admin/sessions?owner=" + query, TestTokens.field(TestTokens.admin))
                #expect(list.json["sessions"]?.asArray?.map { $0["id"] } == [id])
            }
        }
    }

    /// The Kelvin sign equals the letter K for Swift.
    @Test func namesOfStoresAreComparedByBytes() async throws {
        let kinds = [StoreKindSample.kind]
        try await TestAPI.run(
            kinds: kinds, configuration: TestTokens.configuration { $0.sessions.defaultStore = "Kinds" }
        ) { (api: TestAPI) async throws -> Void in
            func create(_ name: String, _ storehouse: JSONValue? = nil) async throws -> TestResponse {
                try await api.send("POST", "/sessions", as: "alice", storehouse, ["store": .string(name)])
            }
            #expect(try await create("Kinds").status == 201)
            #expect(try await create("\u{212a}inds").code == "no-such-store")
            #expect(try await create("Kinds", ["stores": ["Kinds"]]).status == 201)
            #expect(try await create("Kinds", ["stores": ["\u{212a}inds"]]).code == "forbidden")
            let me = "/sessions/me?store=%E2%84%AAinds"
            #expect(try await api.send("GET", me, as: "alice").code == "no-such-store")
        }
    }
}

/// A kind whose name has a letter that another code point equals.
private enum StoreKindSample {
    static var kind: StoreKind { .store("Kinds", reducer: FaultyReducer()) }
}
