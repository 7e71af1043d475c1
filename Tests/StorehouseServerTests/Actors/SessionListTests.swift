import Dispatch
import JSON
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// `GET /sessions`: the sessions that the subject of a token owns or is a member of.
@Suite("The list of a subject's sessions", .serialized, .timeLimit(.minutes(5)))
struct SessionListTests {
    private static let other = StoreDefinition("other", "Another kind.", MembersClub()) {
        Member("extra", \.extra)
        Action("count", "Counts.") { $0.extra += 1 }
    }

    @Test("has documents in the order of the list, in pages", arguments: ListStorage.allCases)
    func pages(storage: ListStorage) async throws {
        try await storage.run { server in
            var paths: [String] = []
            for index in 0..<7 {
                let owner = index.isMultiple(of: 2) ? "ada" : "eve"
                paths.append(try await server.sessionPath(of: owner, store: "club"))
                // One of them has both, and is listed once.
                if index % 3 == 0 { try await server.act("add", "ada", in: paths[index], as: owner) }
            }
            _ = try await server.sessionPath(of: "carl", store: "club")
            let mine = Set([0, 2, 3, 4, 6].map { sessionID(paths[$0]) })
            let whole = try await server.listed(of: "ada")
            #expect(Set(whole) == mine && whole.count == mine.count)
            if storage != .redis { #expect(whole == whole.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }) }
            for limit in 1...6 { #expect(try await server.listed(of: "ada", limit: limit) == whole) }
            let page = try await server.send("GET", "/sessions?limit=5", as: "ada")
            #expect(page["cache-control"] == "no-store")
            let document = try #require(page.json["sessions"]?[0])
            let read = try await server.send("GET", "/sessions/\(whole[0])", as: "ada")
            for name in ["id", "store", "revision", "owner", "createdAt", "links", "mark"] {
                #expect(document[name] == read.json[name])
            }
            let cursor = try #require(
                try await server.send("GET", "/sessions?limit=1", as: "ada").json["next"]?.asString)
            #expect(!paths.contains { cursor.contains(sessionID($0)) })
        }
    }

    @Test("can be that of the owner or of the member, and 400 for another role", arguments: ListStorage.allCases)
    func role(storage: ListStorage) async throws {
        try await storage.run { server in
            let own = try await server.sessionPath(of: "ada", store: "club")
            let joined = try await server.sessionPath(of: "eve", store: "club")
            try await server.act("add", "ada", in: joined, as: "eve")
            #expect(try await server.listed(of: "ada", ["role=owner"]) == [sessionID(own)])
            #expect(try await server.listed(of: "ada", ["role=member"]) == [sessionID(joined)])
            #expect(Set(try await server.listed(of: "ada")) == [sessionID(own), sessionID(joined)])
            for role in ["", "Owner", "admin", "owner,member", "members", "x"] {
                let refused = try await server.send("GET", "/sessions?role=\(role)", as: "ada")
                #expect((refused.status, refused.code) == (400, "malformed-request"))
            }
            for query in ["limit=0", "limit=1001", "after=", "after=x", "role=owner&role=owner", "rolle=owner"] {
                let refused = try await server.send("GET", "/sessions?" + query, as: "ada")
                #expect((refused.status, refused.code) == (400, "malformed-request"), "\(query)")
            }
        }
    }

    /// A club that lets nobody but its owner read while it is closed.
    private static let closing = StoreDefinition("club", "A club that can close.", MembersClub()) {
        Member("members", \.members)
        Member("extra", \.extra)
        Action("add", "Adds a member.", .text("id", 0...80, example: "ada")) { club, id in
            club.members.append(ActorID(id))
        }
        Action("close", "Closes, or opens.") { $0.extra = 1 - $0.extra }
        Access { club, _ in club.extra == 0 ? [.read] : [] }
        Members { club in club.members }
    }

    @Test("leaves out a session that its state does not let the subject read", arguments: ListStorage.allCases)
    func access(storage: ListStorage) async throws {
        try await storage.run(kinds: [Self.closing.kind]) { server in
            let path = try await server.sessionPath(of: "ada", store: "club")
            for member in ["ada", "bob"] { try await server.act("add", member, in: path, as: "ada") }
            let close: JSONValue = ["type": "club/close"]
            for isShown in [true, false, true] {
                #expect(try await server.listed(of: "bob") == (isShown ? [sessionID(path)] : []))
                #expect(try await server.listed(of: "ada") == [sessionID(path)])
                #expect(try await server.listed(of: "ada", ["role=member"]) == (isShown ? [sessionID(path)] : []))
                #expect(try await server.send("POST", path + "/actions", as: "ada", nil, close).status == 200)
            }
        }
    }

    @Test("can be that of one kind, and is that of the kinds of the token", arguments: ListStorage.allCases)
    func store(storage: ListStorage) async throws {
        try await storage.run(kinds: [club.kind, Self.other.kind]) { server in
            let (first, second) = (
                try await server.sessionPath(of: "ada", store: "club"),
                try await server.sessionPath(of: "ada", store: "other")
            )
            #expect(try await server.listed(of: "ada", ["store=club"]) == [sessionID(first)])
            #expect(try await server.listed(of: "ada", ["store=other"]) == [sessionID(second)])
            #expect(try await server.listed(of: "ada", ["store=Club"]).isEmpty)
            #expect(try await server.listed(of: "ada", ["role=member"]).isEmpty)
            #expect(try await server.listed(of: "ada", by: ["stores": ["other"]]) == [sessionID(second)])
            #expect(try await server.listed(of: "ada", ["store=club"], by: ["stores": ["other"]]).isEmpty)
            // A token that lists a session gives the right to use it. It is in the list of its owner and its members.
            #expect(try await server.listed(of: "eve", by: ["sessions": [.string(sessionID(first))]]).isEmpty)
        }
    }

    @Test("needs the permission read")
    func permission() async throws {
        try await ListStorage.memory.run { server in
            _ = try await server.sessionPath(of: "ada", store: "club")
            let refused = try await server.send("GET", "/sessions", as: "ada", ["may": ["create", "act"]])
            #expect((refused.status, refused.code) == (403, "forbidden"))
            #expect(try await server.send("GET", "/sessions", as: nil).status == 401)
            #expect(try await server.listed(of: "ada", by: ["may": ["read"]]).count == 1)
        }
    }

    @Test("is 405 without tokens, as before, and has its methods in Allow")
    func methods() async throws {
        try await LiveServer.run { server in
            for method in ["GET", "HEAD", "DELETE"] {
                let refused = try await server.send(TestRequest(method, "/sessions?role=x"))
                #expect((refused.status, refused["allow"]) == (405, "POST, OPTIONS"))
            }
            #expect(try await server.send(TestRequest("OPTIONS", "/sessions"))["allow"] == "POST, OPTIONS")
            let document = try await server.get("/openapi.json")
            #expect(document.json["paths"]?["/sessions"]?["get"] == nil)
        }
        try await ListStorage.memory.run { server in
            let refused = try await server.send("DELETE", "/sessions", as: "ada")
            #expect((refused.status, refused["allow"]) == (405, "GET, HEAD, POST, OPTIONS"))
            let head = try await server.send("HEAD", "/sessions", as: "ada")
            #expect((head.status, head.text) == (200, ""))
            let document = try await server.get("/openapi.json")
            #expect(document.json["paths"]?["/sessions"]?["get"]?["operationId"] == "listOwnSessions")
        }
    }

    @Test("waits for others of the subject, and is refused if too many wait")
    func many() async throws {
        let gate = DispatchSemaphore(value: 0)
        let slow = StoreDefinition("club", "A club whose access function waits.", MembersClub()) {
            Member("extra", \.extra)
            Action("count", "Counts.") { $0.extra += 1 }
            Access { _, _ in
                gate.wait()
                gate.signal()
                return [.read]
            }
            Members { _ in ["ada"] }
        }
        try await ListStorage.memory.run(kinds: [slow.kind]) { server in
            let path = try await server.sessionPath(of: "eve", store: "club")
            // Two are made at once, and sixteen wait.
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { try await server.send("GET", "/sessions", as: "ada") }
                }
                var answers: [TestResponse] = []
                while let answer = try await group.next() {
                    answers.append(answer)
                    if answers.count == 2 {
                        #expect(answers.allSatisfy { ($0.status, $0.code) == (503, "overloaded") })
                        gate.signal()
                    }
                }
                let lists = answers.dropFirst(2).map { $0.json["sessions"]?[0]?["id"]?.asString }
                #expect(lists.count == 18 && lists.allSatisfy { $0 == sessionID(path) })
            }
        }
    }

    @Test("tells a stranger nothing of a session", arguments: ListStorage.allCases)
    func stranger(storage: ListStorage) async throws {
        try await storage.run { server in
            let empty = try await server.send("GET", "/sessions", as: "eve")
            let path = try await server.sessionPath(of: "ada", store: "club")
            try await server.act("add", "bob", in: path, as: "ada")
            let full = try await server.send("GET", "/sessions", as: "eve")
            #expect(full.text == empty.text && full.json == ["sessions": [], "next": nil])
        }
    }
}
