import JSON
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// The members of a session, which are an index that changes with the commit.
@Suite("The members of a session", .serialized, .timeLimit(.minutes(5)))
struct MembersTests {
    @Test(
        "have it in their lists from the commit that adds them to the one that removes them",
        arguments: ListStorage.allCases)
    func commit(storage: ListStorage) async throws {
        try await storage.run { server in
            let path = try await server.sessionPath(of: "ada", store: "club")
            #expect(try await server.listed(of: "bob").isEmpty)
            try await server.act("add", "bob", in: path, as: "ada")
            #expect(try await server.listed(of: "bob") == [sessionID(path)])
            #expect(try await server.listed(of: "ada") == [sessionID(path)])
            try await server.act("remove", "bob", in: path, as: "ada")
            #expect(try await server.listed(of: "bob").isEmpty)
            try await server.act("add", "bob", in: path, as: "ada")
            #expect(try await server.send("DELETE", path, as: "ada").status == 204)
            #expect(try await server.listed(of: "bob").isEmpty)
            #expect(try await server.listed(of: "ada").isEmpty)
        }
    }

    @Test("are compared by their bytes", arguments: ListStorage.allCases)
    func bytes(storage: ListStorage) async throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        try await storage.run { server in
            let path = try await server.sessionPath(of: "ada", store: "club")
            try await server.act("add", composed, in: path, as: "ada")
            #expect(try await server.listed(of: composed) == [sessionID(path)])
            #expect(try await server.listed(of: decomposed).isEmpty)
            try await server.act("add", decomposed, in: path, as: "ada")
            try await server.act("remove", composed, in: path, as: "ada")
            #expect(try await server.listed(of: composed).isEmpty)
            #expect(try await server.listed(of: decomposed) == [sessionID(path)])
        }
    }

    @Test("are 10 000 at most: an action that would make more is rejected", arguments: ListStorage.allCases)
    func tooMany(storage: ListStorage) async throws {
        try await storage.run { server in
            let path = try await server.sessionPath(of: "ada", store: "club")
            func crowd(_ count: Int) -> JSONValue { ["type": "club/crowd", "payload": ["count": .integer(count)]] }
            for count in [10_001, 100_000, 1_000_000] {
                let refused = try await server.send("POST", path + "/actions", as: "ada", nil, crowd(count))
                #expect((refused.status, refused.code) == (409, "action-rejected"))
                #expect(refused.json["reason"] == "too-many-members")
            }
            #expect(try await server.send("GET", path + "/state", as: "ada").json["revision"] == 0)
            let full = try await server.send("POST", path + "/actions", as: "ada", nil, crowd(10_000))
            #expect(full.json["revision"] == 1)
            // One that is a member already is no further one.
            for (id, status) in [("extra-17", 200), ("", 200), ("bob", 409)] {
                #expect(try await server.act("add", id, in: path, as: "ada").status == status)
            }
            let add: JSONValue = ["type": "club/add", "payload": ["id": "bob"]]
            let batch = try await server.send(
                "POST", path + "/actions", as: "ada", nil, [crowd(9999), add, crowd(10_000)])
            #expect((batch.status, batch.json["reason"]) == (409, "too-many-members"))
            #expect(batch.json["index"] == 2)
            let dryRun = try await server.send("POST", path + "/actions?dryRun=true", as: "ada", nil, add)
            #expect((dryRun.status, dryRun.json["reason"]) == (409, "too-many-members"))
            #expect(try await server.listed(of: "bob").isEmpty)
            #expect(try await server.listed(of: "extra-9999") == [sessionID(path)])
        }
    }

    @Test("cannot be 100 000 in the list of one action, whether the body may be as long or not")
    func longList() async throws {
        let ids = JSONValue.array((0..<100_000).map { .string("\($0)") })
        let list: JSONValue = ["type": "club/list", "payload": ["ids": ids]]
        for (limit, status, code) in [(65_536, 413, "body-too-large"), (1 << 21, 409, "action-rejected")] {
            try await ListStorage.memory.run {
                $0.http.maxBodyBytes = limit
            } _: { server in
                let path = try await server.sessionPath(of: "ada", store: "club")
                let refused = try await server.send("POST", path + "/actions", as: "ada", nil, list)
                #expect((refused.status, refused.code) == (status, code))
                if status == 409 { #expect(refused.json["reason"] == "too-many-members") }
                #expect(try await server.listed(of: "17").isEmpty)
                #expect(try await server.act("add", "17", in: path, as: "ada").json["revision"] == 1)
            }
        }
    }

    @Test("of a fork are those of its state, and of its own actions", arguments: ListStorage.allCases)
    func fork(storage: ListStorage) async throws {
        try await storage.run { server in
            let path = try await server.sessionPath(of: "ada", store: "club")
            try await server.act("add", "bob", in: path, as: "ada")
            try await server.act("remove", "bob", in: path, as: "ada")
            let made = try await server.send("POST", path + "/forks", as: "ada", nil, ["revision": 1])
            let fork = try #require(made["location"])
            #expect(try await server.listed(of: "bob") == [sessionID(fork)])
            try await server.act("remove", "bob", in: fork, as: "ada")
            #expect(try await server.listed(of: "bob").isEmpty)
        }
    }

    @Test(
        "are those of the last commit after a restart, and of a session that left the memory",
        arguments: [ListStorage.sqlite, .redis])
    func restart(storage: ListStorage) async throws {
        let durable = try DurableServer(onRedis: storage == .redis)
        var path = ""
        try await storage.run(durable) {
            $0.sessions.maxResident = 1
        } _: { server in
            path = try await server.sessionPath(of: "ada", store: "club")
            try await server.act("add", "bob", in: path, as: "ada")
            try await server.act("add", "eve", in: path, as: "ada")
            for _ in 0..<8 { _ = try await server.sessionPath(of: "carl", store: "club") }
            try await server.hibernates(to: 4)
            #expect(try await server.listed(of: "bob") == [sessionID(path)])
        }
        try await storage.run(durable) { server in
            #expect(try await server.listed(of: "bob") == [sessionID(path)])
            try await server.act("remove", "bob", in: path, as: "ada")
            #expect(try await server.listed(of: "bob").isEmpty)
            #expect(try await server.listed(of: "eve") == [sessionID(path)])
            #expect(try await server.listed(of: "carl").count == 8)
        }
    }

    /// The club of an earlier program, which named no members.
    private static let earlier = StoreDefinition("club", "A club.", MembersClub()) {
        Member("members", \.members)
        Member("extra", \.extra)
        Action("add", "Adds a member.", .text("id", 0...80, example: "ada")) { club, id in
            club.members.append(ActorID(id))
        }
    }

    @Test(
        "of a kind that had none are found at once, also in sessions that nobody uses",
        arguments: [ListStorage.sqlite, .redis])
    func gained(storage: ListStorage) async throws {
        let durable = try DurableServer(onRedis: storage == .redis)
        var paths: [String] = []
        try await storage.run(durable, kinds: [Self.earlier.kind]) { server in
            for _ in 0..<3 {
                paths.append(try await server.sessionPath(of: "ada", store: "club"))
                try await server.act("add", "bob", in: paths[paths.count - 1], as: "ada")
            }
            #expect(try await server.listed(of: "bob").isEmpty)
            #expect(try await server.listed(of: "ada").count == 3)
        }
        for round in 0..<2 {
            try await storage.run(durable) { server in
                #expect(Set(try await server.listed(of: "bob")) == Set(paths.map(sessionID)), "round \(round)")
                try await server.membersAreChecked()
                #expect(Set(try await server.listed(of: "bob")) == Set(paths.map(sessionID)))
                #expect(try await server.listed(of: "bob", ["role=owner"]).isEmpty)
            }
        }
    }

    @Test(
        "are not looked for where nobody asks for lists: in capability mode", arguments: [ListStorage.sqlite, .redis])
    func capabilityMode(storage: ListStorage) async throws {
        try await DurableServer(onRedis: storage == .redis).run(kinds: [club.kind]) { server in
            #expect(server.running.membersAreChecked)
        }
    }

    @Test("and owners are brought up to date once on a Redis, if the kinds of the program have none")
    func owners() async throws {
        let durable = try DurableServer(onRedis: true)
        for round in 0..<2 {
            try await ListStorage.redis.run(durable, kinds: [Self.earlier.kind]) { server in
                #expect(round == 0 || server.running.membersAreChecked)
                _ = try await server.sessionPath(of: "ada", store: "club")
                try await server.membersAreChecked()
                #expect(try await server.listed(of: "ada").count == round + 1)
            }
        }
    }

    @Test("may be removed where an earlier program has made too many")
    func shrinking() async throws {
        let durable = try DurableServer()
        let large = StoreDefinition("club", "A club.", MembersClub()) {
            Member("members", \.members)
            Member("extra", \.extra)
            Action("crowd", "Makes this many members more.", .integer("count", 0...1_000_000)) { $0.extra = $1 }
        }
        var path = ""
        func crowd(_ count: Int) -> JSONValue { ["type": "club/crowd", "payload": ["count": .integer(count)]] }
        try await ListStorage.sqlite.run(durable, kinds: [large.kind]) { server in
            path = try await server.sessionPath(of: "ada", store: "club")
            _ = try await server.send("POST", path + "/actions", as: "ada", nil, crowd(12_000))
        }
        try await ListStorage.sqlite.run(durable) { server in
            for (count, status) in [(12_001, 409), (11_000, 200), (11_001, 409), (3, 200), (10_001, 409)] {
                let answer = try await server.send("POST", path + "/actions", as: "ada", nil, crowd(count))
                #expect(answer.status == status, "\(count)")
            }
            #expect(try await server.listed(of: "extra-2") == [sessionID(path)])
            #expect(try await server.listed(of: "extra-3").isEmpty)
        }
    }

    @Test("see at each node the sessions of the other one")
    func nodes() async throws {
        let configuration = TestTokens.configuration { $0.sessions.defaultStore = "club" }
        try await TestCluster.run(kinds: [club.kind], configuration: configuration) { cluster in
            let path = try await cluster.first.sessionPath(of: "ada", store: "club")
            try await cluster.second.act("add", "bob", in: path, as: "ada")
            for server in [cluster.first, cluster.second] {
                let page = try await server.send("GET", "/sessions", as: "bob")
                #expect(page.json["sessions"]?.asArray?.map { $0["id"] } == [.string(sessionID(path))])
                #expect(page.json["sessions"]?[0]?["node"] == .string("127.0.0.1:\(cluster.first.port)"))
            }
            try await cluster.second.act("remove", "bob", in: path, as: "ada")
            for server in [cluster.first, cluster.second] { #expect(try await server.listed(of: "bob").isEmpty) }
            try await cluster.second.act("add", "bob", in: path, as: "ada")
            // The next request finds no owner, and claims the session.
            try cluster.forgetIncarnations()
            try await waitUntil {
                try await cluster.second.send("GET", path + "/state", as: "ada").status == 200
            }
            #expect(try await cluster.second.listed(of: "bob") == [sessionID(path)])
        }
    }
}
