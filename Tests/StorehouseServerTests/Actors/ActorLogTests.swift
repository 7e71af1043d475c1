import JSON
import Journal
import Observability
import RemoteServices
import Security
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// The senders of actions in the action log.
@Suite("The action log", .timeLimit(.minutes(5)))
struct ActorLogTests {
    /// Where sessions rest.
    enum Storage: CaseIterable {
        case memory, file, redis

        func run(
            _ configuration: Configuration = TestTokens.configuration(),
            animal: any RemoteClient = ScriptedRemoteClient(),
            _ body: (LiveServer) async throws -> Void
        ) async throws {
            switch self {
            case .memory: try await LiveServer.run(animal: animal, configuration: configuration, body)
            case .file, .redis:
                try await DurableServer(onRedis: self == .redis).run(
                    animal: animal, configuration: configuration, body)
            }
        }
    }

    private static let anonymous: JSONValue = ["kind": "anonymous", "roles": []]
    private static let ada: JSONValue = [
        "kind": "user", "id": "ada", "name": "Ada \"A\" Łovelace", "roles": ["cashier", "caf\u{e9}"],
    ]

    /// The header fields of a request whose token has a name and roles.
    private static func fieldsOfAda() -> [(String, String)] {
        TestTokens.field(of: "ada", claims: ["name": "Ada \"A\" Łovelace"], ["roles": ["cashier", "caf\u{e9}"]])
    }

    /// The actors in the log of a session, with null where an entry has none.
    private static func actors(
        _ server: any TestServing, _ path: String, _ fields: [(String, String)] = []
    ) async throws -> [JSONValue] {
        let log = try await server.get(path + "/actions?limit=1000", fields)
        #expect(log.status == 200)
        return try #require(log.json["actions"]?.asArray).map { $0["actor"] ?? .null }
    }

    @Test("names the user of each action with the name and the roles of the token", arguments: Storage.allCases)
    func users(storage: Storage) async throws {
        try await storage.run { server in
            let path = try await server.sessionPath(of: "ada")
            let id = path.dropFirst("/sessions/".count)
            let batch: JSONValue = [["type": "counter/increment"], ["type": "counter/increment"]]
            let bob = TestTokens.field(of: "bob", ["sessions": [.string(String(id))]])
            let increment: JSONValue = ["type": "counter/increment"]
            for (fields, body) in [
                (Self.fieldsOfAda(), batch), (bob, increment), (TestTokens.field(of: "ada"), increment),
            ] {
                #expect(try await server.post(path + "/actions", fields, json: body).status == 200)
            }
            let expected: [JSONValue] = [
                Self.ada, Self.ada, ["kind": "user", "id": "bob", "roles": []],
                ["kind": "user", "id": "ada", "roles": []],
            ]
            #expect(try await Self.actors(server, path, Self.fieldsOfAda()) == expected)
        }
    }

    @Test("keeps the actors over a restart and in an imported session", arguments: [false, true])
    func restart(onRedis: Bool) async throws {
        let durable = try DurableServer(onRedis: onRedis)
        let path = try await durable.run(configuration: TestTokens.configuration()) { server in
            let path = try await server.sessionPath(of: "ada")
            for fields in [Self.fieldsOfAda(), TestTokens.field(of: "ada")] {
                let body: JSONValue = ["type": "counter/increment"]
                #expect(try await server.post(path + "/actions", fields, json: body).status == 200)
            }
            return path
        }
        let expected: [JSONValue] = [Self.ada, ["kind": "user", "id": "ada", "roles": []]]
        try await durable.run(configuration: TestTokens.configuration()) { server in
            let actors = try await Self.actors(server, path, Self.fieldsOfAda())
            #expect(actors == expected)
        }
        if onRedis { return }
        let id = String(path.dropFirst("/sessions/".count))
        let document = try SQLiteStorage.export(id, from: durable.path)
        #expect(try JSONValue(parsing: document)["commits"]?.asArray?.map { $0["actor"] ?? .null } == expected)
        let imported = try DurableServer()
        _ = try SQLiteStorage.insert(document, into: imported.path, as: nil)
        try await imported.run { server in
            let actors = try await Self.actors(server, path)
            #expect(actors == expected)
        }
        for server in [durable, imported] { #expect(try SQLiteStorage.verify(server.path).problems.isEmpty) }
    }

    @Test("has no actor for effects, whoever has started them")
    func effects() async throws {
        let remote = ScriptedRemoteClient()
        remote.reply(#"{"animal":"Cat"}"#)
        try await LiveServer.run(animal: remote, configuration: TestTokens.configuration()) { server in
            let path = try await server.sessionPath(of: "ada")
            let fields = Self.fieldsOfAda() + [("Prefer", "wait=3600")]
            #expect(
                try await server.post(path + "/actions", fields, json: ["type": "animal/fetchAnimal"]).status == 200)
            #expect(try await Self.actors(server, path, Self.fieldsOfAda()) == [Self.ada, .null])
        }
    }

    @Test("names the holder of a share anonymous, in both modes", arguments: [false, true])
    func shares(inTokenMode: Bool) async throws {
        let configuration = inTokenMode ? TestTokens.configuration() : .with()
        let fields = inTokenMode ? Self.fieldsOfAda() : []
        try await LiveServer.run(configuration: configuration) { server in
            let created = try await server.post("/sessions", fields, json: ["store": "app"])
            let path = try #require(created["location"])
            let share = try TestShare(
                try await server.post(path + "/shares", fields, json: ["may": ["act"]]), of: server)
            #expect(try await share.post(["type": "counter/increment"]).status == 200)
            // A token is not looked at there.
            #expect(try await share.post(["type": "counter/increment"], "", Self.fieldsOfAda()).status == 200)
            #expect(try await Self.actors(server, path, fields) == [Self.anonymous, Self.anonymous])
        }
    }

    @Test("names everybody anonymous in capability mode, where a token is not looked at", arguments: Storage.allCases)
    func capability(storage: Storage) async throws {
        try await storage.run(.with()) { server in
            let session = try await server.session()
            for fields in [[], Self.fieldsOfAda(), [("Authorization", "Bearer nonsense")]] {
                #expect(try await session.post(["type": "counter/increment"], fields).status == 200)
            }
            #expect(try await Self.actors(server, session.path) == Array(repeating: Self.anonymous, count: 3))
        }
    }

    @Test("tells users apart whose ids differ only in their spelling in Unicode")
    func twins() async throws {
        try await LiveServer.run(configuration: TestTokens.configuration()) { server in
            let path = try await server.sessionPath(of: "caf\u{e9}")
            let id = String(path.dropFirst("/sessions/".count))
            let other = TestTokens.field(of: "cafe\u{301}", ["sessions": [.string(id)]])
            for fields in [TestTokens.field(of: "caf\u{e9}"), other] {
                let body: JSONValue = ["type": "counter/increment"]
                #expect(try await server.post(path + "/actions", fields, json: body).status == 200)
            }
            let ids = try await Self.actors(server, path, other).map { $0["id"] ?? .null }
            #expect(ids == ["caf\u{e9}", "cafe\u{301}"] && ids[0] != ids[1])
        }
    }

    @Test("names the actor of an action that another node has forwarded, and each node logs its mark")
    func nodes() async throws {
        let configuration = TestTokens.configuration {
            $0.log.access = .all
            $0.log.format = .json
        }
        try await TestCluster.run(configuration: configuration) { cluster in
            let path = try await cluster.first.sessionPath(of: "ada")
            for server in [cluster.second, cluster.first, cluster.second] {
                let body: JSONValue = ["type": "counter/increment"]
                #expect(try await server.post(path + "/actions", Self.fieldsOfAda(), json: body).status == 200)
            }
            for server in [cluster.first, cluster.second] {
                let actors = try await Self.actors(server, path, Self.fieldsOfAda())
                #expect(actors == [Self.ada, Self.ada, Self.ada])
                let lines = try server.log.accessLines("/sessions/{id}/actions")
                #expect(lines.count >= 2)
                #expect(lines.allSatisfy { $0["actor"] == .string(Fingerprint.of("ada")) })
            }
        }
    }

    @Test("has the names and roles from the claims of the configuration, on every way to the server")
    func claims() async throws {
        let configuration = TestTokens.configuration {
            $0.access.actorClaims.name = JSONPointer(tokens: ["preferred_username"])
            $0.access.actorClaims.roles = JSONPointer(tokens: ["realm_access", "roles"])
        }
        try await LiveServer.run(configuration: configuration) { server in
            let fields = TestTokens.field(
                of: "ada", claims: ["preferred_username": "ada77", "realm_access": ["roles": ["usher"]], "name": "No"])
            let action = try await server.post(
                "/sessions/me/actions", fields, json: ["type": "counter/increment"])
            #expect(action.status == 200)
            let expected: JSONValue = ["kind": "user", "id": "ada", "name": "ada77", "roles": ["usher"]]
            #expect(try await Self.actors(server, "/sessions/me", fields) == [expected])
        }
    }

    @Test("names the actors of an earlier mode: nobody becomes somebody else when the mode changes")
    func changedMode() async throws {
        let durable = try DurableServer()
        let body: JSONValue = ["type": "counter/increment"]
        let capability = try await durable.run { server in
            let session = try await server.session()
            #expect(try await session.post(body).status == 200)
            return session.path
        }
        let owned = try await durable.run(configuration: TestTokens.configuration()) { server in
            let owned = try await server.sessionPath(of: "ada")
            let id = String(capability.dropFirst("/sessions/".count))
            let bob = TestTokens.field(of: "bob", ["sessions": [.string(id)]])
            #expect(try await server.post(capability + "/actions", bob, json: body).status == 200)
            #expect(try await server.post(owned + "/actions", Self.fieldsOfAda(), json: body).status == 200)
            return owned
        }
        try await durable.run { server in
            let action = try await server.post(owned + "/actions", json: body)
            #expect(action.status == 200)
            #expect(try await Self.actors(server, owned) == [Self.ada, Self.anonymous])
            let bob: JSONValue = ["kind": "user", "id": "bob", "roles": []]
            #expect(try await Self.actors(server, capability) == [Self.anonymous, bob])
        }
    }
}
