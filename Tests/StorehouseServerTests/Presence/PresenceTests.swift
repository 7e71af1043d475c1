import JSON
import Sessions
import StorehouseServer
import Testing

/// `?presence=true` and `GET …/presence`: who watches a session.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PresenceTests {
    private static let short = Duration.milliseconds(300)

    private static func run(
        tokens: Bool = true, grace: Duration = Self.short, bufferBytes: Int = 65_536,
        _ body: (LiveServer) async throws -> Void
    ) async throws {
        let configure: (inout Configuration) -> Void = {
            $0.streams.presenceGrace = grace
            $0.streams.bufferBytes = bufferBytes
        }
        try await LiveServer.run(
            configuration: tokens ? TestTokens.configuration(configure) : .with(configure), body)
    }

    /// The fields of a user that may use a session.
    private static func user(_ name: String, _ session: LiveSession, _ claims: JSONObject = [:]) -> [(String, String)] {
        TestTokens.field(of: name, claims: claims, ["sessions": [.string(session.id)]])
    }

    private static func session(_ server: LiveServer) async throws -> LiveSession {
        LiveSession(server: server, path: try await server.sessionPath(of: "owner"))
    }

    /// The ids in a list of an event.
    private static func ids(_ list: JSONValue?) -> [String]? {
        list?.asArray.map { $0.compactMap { $0["actor"]?["id"]?.asString } }
    }

    @Test func theFirstEventFollowsTheFirstValueAndHasTheStreamItself() async throws {
        try await Self.run { server in
            let session = try await Self.session(server)
            let ada = Self.user("ada", session, ["name": "Ada"])
            let events = try await session.events(query: "?presence=true", ada)
            _ = try await events.state()
            let first = try #require(try await events.event())
            #expect(first.name == "presence" && first.id == nil)
            #expect(
                first.data == [
                    "present": [
                        [
                            "actor": ["kind": "user", "id": "ada", "name": "Ada", "roles": []],
                            "streams": 1,
                        ]
                    ], "anonymous": 0,
                ])
            let document = try await session.read("/presence", ada)
            #expect(document.status == 200 && document.json == first.data)
            #expect(document["cache-control"] == "no-store")
        }
    }

    @Test func whoJoinsAndLeavesIsToldAfterTheGrace() async throws {
        try await Self.run { server in
            let session = try await Self.session(server)
            let ada = try await session.events(query: "?presence=true", Self.user("ada", session))
            _ = try await ada.state()
            #expect(Self.ids(try await ada.event()?.data["present"]) == ["ada"])
            // Each stream counts, also one that does not ask.
            let bob = try await session.events(query: "?select=/counter", Self.user("bob", session))
            let joined = try #require(try await ada.event())
            #expect(Self.ids(joined.data["joined"]) == ["bob"] && Self.ids(joined.data["left"]) == [])
            #expect(joined.data.asObject?.names == ["joined", "left", "anonymous"])
            try await bob.finishSending()
            let left = try #require(try await ada.event())
            #expect(Self.ids(left.data["joined"]) == [] && Self.ids(left.data["left"]) == ["bob"])
            // A stream that comes back within the grace has never left.
            let again = try await session.events(Self.user("ada", session))
            _ = try await again.state()
            #expect(try await session.read("/presence", Self.user("ada", session)).at("/present/0/streams") == 2)
        }
    }

    #if os(Linux)
        /// A phone in a tunnel closes nothing: its system acknowledges no byte of the heartbeats.
        @Test func aClientWhoseNetworkIsGoneLeaves() async throws {
            let configuration = TestTokens.configuration {
                $0.streams.presenceGrace = Self.short
                $0.streams.heartbeat = .milliseconds(100)
                $0.http.idleTimeout = .seconds(1)
            }
            try await LiveServer.run(configuration: configuration) { server in
                let session = try await Self.session(server)
                let ada = try await session.events(query: "?presence=true", Self.user("ada", session))
                _ = try await ada.state()
                _ = try await ada.event()
                let bob = try server.client()
                try await bob.send(
                    TestRequest("GET", session.path + "/events", Self.user("bob", session)).bytes)
                #expect(try await bob.head().status == 200)
                #expect(Self.ids(try await ada.event()?.data["joined"]) == ["bob"])
                try await bob.loseNetwork()
                #expect(Self.ids(try await ada.event()?.data["left"]) == ["bob"])
                let list = try await session.read("/presence", Self.user("ada", session))
                #expect(Self.ids(list.json["present"]) == ["ada"])
                withExtendedLifetime(bob) {}
            }
        }
    #endif

    @Test func anActorMayComeBackWithinTheGrace() async throws {
        try await Self.run(grace: .seconds(3600)) { server in
            let session = try await Self.session(server)
            let ada = Self.user("ada", session)
            let events = try await session.events(query: "?presence=true", ada)
            _ = try await events.state()
            _ = try await events.event()
            let bob = try await session.events(Self.user("bob", session))
            #expect(Self.ids(try await events.event()?.data["joined"]) == ["bob"])
            try await bob.finishSending()
            let request = TestRequest("GET", session.path + "/presence", ada)
            let list = try await server.eventually(request) { $0.at("/present/1/streams") == 0 }
            #expect(Self.ids(list.json["present"]) == ["ada", "bob"])
            _ = try await session.events(Self.user("bob", session)).state()
            _ = try await session.events(Self.user("cy", session)).state()
            // Nothing was told of Bob meanwhile.
            #expect(Self.ids(try await events.event()?.data["joined"]) == ["cy"])
        }
    }

    @Test func anonymousClientsAreOnlyCounted() async throws {
        try await Self.run(tokens: false) { server in
            let session = try await server.session()
            let events = try await session.events(query: "?presence=true")
            _ = try await events.state()
            #expect(try await events.event()?.data == ["present": [], "anonymous": 1])
            let other = try await session.events()
            #expect(try await events.event()?.data == ["joined": [], "left": [], "anonymous": 2])
            try await other.finishSending()
            #expect(try await events.event()?.data == ["joined": [], "left": [], "anonymous": 1])
            #expect(try await session.read("/presence").json == ["present": [], "anonymous": 1])
        }
    }

    @Test func aSessionThatNobodyWatchesHasAnEmptyList() async throws {
        try await Self.run(tokens: false) { server in
            let session = try await server.session()
            #expect(try await session.read("/presence").json == ["present": [], "anonymous": 0])
            let head = try await server.send(TestRequest("HEAD", session.path + "/presence"))
            #expect(head.status == 200 && head.body.isEmpty)
            _ = try await session.delete()
            #expect(try await session.read("/presence").status == 410)
            #expect(try await server.get("/sessions/AAAAAAAAAAAAAAAAAAAAAA/presence").status == 404)
        }
    }

    @Test func aResumedStreamGetsTheWholeListAgain() async throws {
        try await Self.run(tokens: false) { server in
            let session = try await server.session()
            let events = try await session.events(query: "?presence=true")
            let id = try #require(try await events.state().id)
            _ = try await events.event()
            let again = try await session.events(query: "?presence=true", [("Last-Event-ID", id)])
            #expect(try await again.event()?.data == ["present": [], "anonymous": 2])
        }
    }

    @Test func theSubjectsOwnSessionHasPresenceToo() async throws {
        try await Self.run { server in
            let me = LiveSession(server: server, path: "/sessions/me")
            let ada = TestTokens.field(of: "ada")
            let events = try await me.events(query: "?presence=true", ada)
            _ = try await events.state()
            #expect(Self.ids(try await events.event()?.data["present"]) == ["ada"])
            #expect(Self.ids(try await me.read("/presence", ada).json["present"]) == ["ada"])
        }
    }

    // MARK: Permissions

    @Test func aShareNeedsThePermission() async throws {
        try await Self.run { server in
            let session = try await Self.session(server)
            func share(_ may: JSONValue) async throws -> TestShare {
                let owner = TestTokens.field(of: "owner")
                return try TestShare(
                    try await server.post(session.path + "/shares", owner, json: ["may": may]), of: server)
            }
            let watcher = try await share(["read", "presence"])
            #expect(watcher.answer.at("/links/presence") == .string(watcher.path + "/presence"))
            let events = try await watcher.events("?presence=true")
            _ = try await events.state()
            // A share that names nobody is anonymous.
            #expect(try await events.event()?.data == ["present": [], "anonymous": 1])
            #expect(try await server.get(watcher.path + "/presence").json == ["present": [], "anonymous": 1])
            for other in [try await share(["read", "act"]), try await share(["presence"])] {
                #expect(try await server.get(other.path + "/presence").code == "forbidden")
                #expect(try await server.get(other.path + "/events?presence=true").code == "forbidden")
            }
            let plain = try await share(["read"])
            _ = try await plain.events("?presence=false").state()
            #expect(plain.answer.at("/links/presence") == nil)
        }
    }

    @Test func theMakerOfAShareGivesPresenceIfItMayRead() async throws {
        try await Self.run { server in
            let session = try await Self.session(server)
            let fields = TestTokens.field(of: "owner", ["may": ["share", "act"]])
            let body: JSONValue = ["may": ["presence"]]
            #expect(try await server.post(session.path + "/shares", fields, json: body).code == "forbidden")
            let reader = TestTokens.field(of: "owner", ["may": ["share", "read"]])
            #expect(try await server.post(session.path + "/shares", reader, json: body).status == 201)
        }
    }

    @Test func aTokenThatMayNotReadSeesNobody() async throws {
        try await Self.run { server in
            let session = try await Self.session(server)
            for may: JSONValue in [["act", "share"], ["presence"]] {
                let fields = TestTokens.field(of: "owner", ["may": may])
                #expect(try await session.read("/presence", fields).code == "forbidden")
            }
            #expect(try await session.read("/presence", TestTokens.field(of: "stranger")).code == "forbidden")
            #expect(try await session.read("/presence").status == 401)
            #expect(try await session.read("/presence", TestTokens.field(of: "owner", ["may": ["read"]])).status == 200)
        }
    }

    @Test(arguments: ["presence=yes", "presence=", "presence", "presence=true&presence=true", "presense=true"])
    func anythingButTrueAndFalseIsRefused(_ query: String) async throws {
        try await Self.run(tokens: false) { server in
            let session = try await server.session()
            #expect(try await session.read("/events?" + query).code == "malformed-request")
        }
    }

    // MARK: Hostile clients

    @Test func manyJoinsAreAFewEvents() async throws {
        try await Self.run(tokens: false, grace: .zero) { server in
            let session = try await server.session()
            let events = try await session.events(query: "?presence=true")
            _ = try await events.state()
            #expect(try await events.event()?.data["anonymous"] == 1)
            let start = ContinuousClock.now
            // Each comes and goes on one of some connections.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        for _ in 0..<25 { try await session.events(query: "?select=/none").makeReset() }
                    }
                }
                try await group.waitForAll()
            }
            let last = try await session.events(query: "?presence=true")
            _ = try await last.state()
            _ = try await last.event()
            let request = TestRequest("GET", session.path + "/presence")
            _ = try await server.eventually(request) { $0.json["anonymous"] == 2 }
            var count = 0
            while let event = try await events.event() {
                count += 1
                if event.data["anonymous"] == 2, try await session.read("/presence").json["anonymous"] == 2 { break }
            }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            #expect(Double(count) <= 5 * seconds + 1)
        }
    }

    @Test func aNameWithControlsIsNoName() async throws {
        try await Self.run { server in
            let session = try await Self.session(server)
            let fields = Self.user("eve", session, ["name": "\u{202e}Ada\r\n\r\nevent: closed"])
            let events = try await session.events(query: "?presence=true", fields)
            _ = try await events.state()
            let first = try #require(try await events.event())
            #expect(first.name == "presence")
            #expect(first.data["present"]?[0]?["actor"]?["name"] == nil)
            #expect(Self.ids(first.data["present"]) == ["eve"])
        }
    }

    @Test func aSlowReaderGetsTheWholeListOnceItReads() async throws {
        try await Self.run(grace: .zero, bufferBytes: 1024) { server in
            let session = try await Self.session(server)
            let slow = try await session.events(
                query: "?presence=true", Self.user("slow", session), receiveBuffer: 4096)
            let fast = try await session.events(query: "?presence=true&select=/none", Self.user("fast", session))
            for events in [slow, fast] { _ = try await events.state() }
            _ = try await fast.event()
            // Large states fill the buffers of the slow one.
            let title = JSONValue.string(String(repeating: "x", count: 500))
            let owner = TestTokens.field(of: "owner") + [("Prefer", "return=minimal")]
            for _ in 0..<20 {
                let action: JSONValue = ["type": "tasks/add", "payload": ["title": title]]
                #expect(try await session.post(.array(Array(repeating: action, count: 50)), owner).status == 204)
            }
            let guest = try await session.events(query: "?select=/none", Self.user("guest", session))
            while let event = try await fast.event() {
                if Self.ids(event.data["joined"])?.contains("guest") == true { break }
            }
            // Now it reads, and in the end it knows who is there.
            var known: Set<String> = []
            while !known.contains("guest"), let event = try await slow.event() {
                guard event.name == "presence" else { continue }
                if let all = Self.ids(event.data["present"]) { known = Set(all) }
                known.formUnion(Self.ids(event.data["joined"]) ?? [])
                known.subtract(Self.ids(event.data["left"]) ?? [])
            }
            #expect(known == ["slow", "fast", "guest"])
            withExtendedLifetime(guest) {}
        }
    }
}
