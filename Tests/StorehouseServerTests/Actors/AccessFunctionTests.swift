import JSON
import Locks
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// The state of a session says who besides its owner may use it.
@Suite("Access from the state", .timeLimit(.minutes(10)))
struct AccessFunctionTests {
    /// A server on memory, and both nodes of a cluster: the owner asks one, and the others ask the other.
    enum Place: CaseIterable { case memory, twoNodes }

    /// - Parameter body: gets the session as its owner reaches it, and as the others do.
    static func run(
        _ place: Place = .memory, _ club: ClubKind = ClubKind(), _ change: (inout Configuration) -> Void = { _ in },
        _ body: @Sendable (_ own: ClubSession, _ other: ClubSession) async throws -> Void
    ) async throws {
        let configuration = ClubSession.configuration(change)
        switch place {
        case .memory:
            try await LiveServer.run(kinds: [club.kind], configuration: configuration) { server in
                let session = try await ClubSession.make(on: server)
                try await body(session, session)
            }
        case .twoNodes:
            try await TestCluster.run(kinds: [club.kind], configuration: configuration) { cluster in
                let session = try await ClubSession.make(on: cluster.first)
                try await body(session, session.at(cluster.second))
            }
        }
    }

    @Test("lets those in whom an action invites, and no longer those whom an action removes", arguments: Place.allCases)
    func invitation(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            #expect(try await other.send(as: "bob").status == 403)
            #expect(try await other.post(as: "bob").status == 403)
            #expect(try await own.grant([.read, .act], to: "bob").status == 200)
            #expect(try await other.send(as: "bob").revision == 1)
            let answer = try await other.post(as: "bob")
            #expect(answer.status == 200 && answer.revision == 2)
            let log = try await other.send("GET", "/actions?after=1", as: "bob")
            #expect(log.json["actions"]?[0]?["actor"]?["id"] == "bob")
            #expect(try await other.send(as: "carol").status == 403)
            #expect(try await own.grant([], to: "bob").status == 200)
            #expect(try await other.send(as: "bob").status == 403)
            #expect(try await other.post(as: "bob").status == 403)
            #expect(try await own.revision() == 3)
        }
    }

    /// The requests that need a right, and what they answer to whoever has it.
    private static let needs: [(right: AccessRights, method: String, below: String, json: JSONValue?, status: Int)] = [
        (.read, "GET", "", nil, 200), (.read, "HEAD", "", nil, 200), (.read, "PUT", "", ["store": "club"], 200),
        (.read, "GET", "/state", nil, 200), (.read, "GET", "/state?revision=0", nil, 200),
        (.read, "GET", "/state?select=count", nil, 200), (.read, "GET", "/actions", nil, 200),
        (.read, "GET", "/actions?before=9", nil, 200), (.read, "GET", "/actions?refused=true", nil, 200),
        (.read, "POST", "/forks", [:], 201), (.read, "POST", "/forks?dryRun=true", ["replay": [:]], 200),
        (.act, "POST", "/actions?dryRun=true", ClubSession.post, 204),
        (.act, "POST", "/actions", ClubSession.post, 204),
        (.share, "DELETE", "/shares", nil, 204), (.delete, "DELETE", "", nil, 204),
    ]

    @Test("gives each right apart from the others")
    func rights() async throws {
        try await Self.run { session, _ in
            let all: [AccessRights] = [.read, .act, .share, .delete]
            for (needed, method, below, json, status) in Self.needs {
                for right in all where right != needed {
                    _ = try await session.grant(right, to: "bob")
                    let answer = try await session.send(method, below, as: "bob", json: json)
                    #expect(answer.status == 403, "\(method) \(below) with \(right)")
                    if method != "HEAD" { #expect(answer.code == "forbidden") }
                }
                _ = try await session.grant(needed, to: "bob")
                let answer = try await session.send(method, below, as: "bob", json: json)
                #expect(answer.status == status, "\(method) \(below): \(answer.status) \(answer.text)")
            }
            #expect(try await session.send(as: "ada").status == 410)
        }
    }

    @Test("is asked in one step with what a request does, and not only before")
    func inTheSameStep() async throws {
        let club = ClubKind()
        try await Self.run(.memory, club) { session, _ in
            _ = try await session.grant([.read, .act, .share, .delete], to: "bob")
            let share = try TestShare(
                try await session.send("POST", "/shares", as: "ada", json: [:]), of: session.server)
            let more: [(String, String, JSONValue?)] = [
                ("GET", "/events", nil), ("GET", "/events?changes=patch", nil),
                ("POST", "/actions", [ClubSession.post, ClubSession.post]),
            ]
            for (method, below, json) in Self.needs.map({ ($0.method, $0.below, $0.json) }) + more {
                // The first question comes before the request is read.
                club.answers(only: 1)
                let answer = try await session.send(method, below, as: "bob", json: json)
                #expect(answer.status == 403, "\(method) \(below)")
                if method != "HEAD" { #expect(answer.code == "forbidden") }
            }
            club.answers(only: nil)
            #expect(try await session.revision() == 1)
            #expect(try await share.state().status == 200)
            let key = [("Idempotency-Key", "\"one\"")]
            #expect(try await session.post(as: "bob", key).revision == 2)
            club.answers(only: 1)
            let again = try await session.post(as: "bob", key)
            #expect(again.status == 204 && again.body.isEmpty && again["idempotency-replayed"] == "true")
            club.answers(only: nil)
            #expect(try await session.revision() == 2)
        }
    }

    @Test("tells an actor who may read which right is missing, and nothing to one who may not")
    func detail() async throws {
        try await Self.run { session, _ in
            _ = try await session.grant(.read, to: "bob")
            let reader = try await session.send("DELETE", "", as: "bob")
            #expect(reader.status == 403 && reader.json["detail"]?.asString?.contains("\"delete\"") == true)
            _ = try await session.grant(.act, to: "bob")
            let other = try await session.send("DELETE", "", as: "bob")
            let stranger = try await session.send("DELETE", "", as: "carol")
            #expect(other.textWithoutRequestID == stranger.textWithoutRequestID)
        }
    }

    @Test("makes a fork of a reader the reader's own")
    func forks() async throws {
        try await Self.run { session, _ in
            _ = try await session.grant(.read, to: "bob")
            let fork = try await session.send("POST", "/forks", as: "bob", json: ["revision": 1])
            let path = try #require(fork["location"])
            #expect(fork.json["owner"] == "bob" && fork.json["state"]?["rights"]?["bob"] == 1)
            #expect(try await session.server.send("DELETE", path, as: "bob").status == 204)
            let token = TestTokens.field(of: "bob", ["may": ["read"]])
            let refused = try await session.server.post(session.path + "/forks", token, json: [:])
            #expect(refused.status == 403)
        }
    }

    @Test("is not asked for the owner, a token that lists the session, an operator and a share")
    func othersAreNotAsked() async throws {
        let club = ClubKind()
        try await Self.run(.memory, club) { session, _ in
            let id = String(session.path.dropFirst("/sessions/".count))
            let listed = TestTokens.field(of: "carol", ["sessions": [.string(id)]])
            #expect(try await session.post(as: "ada").status == 200)
            #expect(try await session.server.get(session.path + "/state", listed).status == 200)
            let posted = try await session.server.post(session.path + "/actions", listed, json: ClubSession.post)
            #expect(posted.status == 200)
            let admin = TestTokens.field(TestTokens.admin)
            #expect(try await session.server.get("/admin/sessions/" + id, admin).status == 200)
            let share = try TestShare(
                try await session.send("POST", "/shares", as: "ada", json: ["may": ["read", "act"]]), of: session.server
            )
            #expect(try await share.post(ClubSession.post).status == 200)
            let events = try await share.events()
            _ = try await events.state()
            #expect(try await session.post(as: "ada").status == 200)
            #expect(club.asked.isEmpty)
        }
    }

    @Test("is not asked in capability mode, where the id is the right")
    func capability() async throws {
        let club = ClubKind()
        try await LiveServer.run(kinds: [club.kind], configuration: .with { $0.sessions.defaultStore = "club" }) {
            server in
            let session = try await server.session("club")
            #expect(try await session.dispatch("club/post").status == 200)
            #expect(try await session.read("/state").status == 200)
            #expect(club.asked.isEmpty)
        }
    }

    @Test("adds to what a token may do, and never goes beyond it")
    func tokens() async throws {
        try await Self.run { session, _ in
            _ = try await session.grant([.read, .act, .delete], to: "bob")
            let reading = TestTokens.field(of: "bob", ["may": ["read"]])
            #expect(try await session.server.get(session.path + "/state", reading).status == 200)
            let post = try await session.server.post(session.path + "/actions", reading, json: ClubSession.post)
            #expect(post.status == 403)
            let elsewhere = TestTokens.field(of: "bob", ["stores": ["another"]])
            let refused = try await session.server.get(session.path + "/state", elsewhere)
            let unknown = try await session.server.get("/sessions/AAAAAAAAAAAAAAAAAAAAAA/state", elsewhere)
            #expect(refused.status == 403)
            #expect(refused.textWithoutRequestID == unknown.textWithoutRequestID)
        }
    }

    @Test("keeps a share as long as its maker may share", arguments: Place.allCases)
    func shares(_ place: Place) async throws {
        try await Self.run(place) { session, other in
            _ = try await session.grant([.read, .act], to: "bob")
            #expect(try await session.send("POST", "/shares", as: "bob", json: [:]).code == "forbidden")
            _ = try await session.grant([.read, .act, .share], to: "bob")
            let (own, bobs) = (
                try TestShare(try await session.send("POST", "/shares", as: "ada", json: [:]), of: session.server),
                try TestShare(
                    try await session.send("POST", "/shares", as: "bob", json: ["may": ["read", "act"]]),
                    of: other.server)
            )
            let events = try await bobs.events("?select=/posts")
            _ = try await events.state()
            #expect(try await bobs.post(ClubSession.post).status == 200)
            #expect(try await events.state().data["state"] == 1)
            _ = try await session.grant([.read, .act], to: "bob")
            #expect(try await session.post(as: "ada").status == 200)
            // Nothing that was committed since then comes before the end.
            #expect(try await events.event()?.data["reason"] == "revoked")
            #expect(try await bobs.state().code == "no-such-share")
            #expect(try await bobs.post(ClubSession.post).code == "no-such-share")
            #expect(try await own.state().status == 200)
            let listed = try await session.send("GET", "/shares", as: "ada").json["shares"]?.asArray?.count
            #expect(listed == 1)
            _ = try await session.grant([.read, .share], to: "bob")
            #expect(try await bobs.state().status == 200)
        }
    }

    @Test("lets a maker of shares pass on only the rights that it has itself")
    func rightsOfShares() async throws {
        try await Self.run { session, _ in
            let cases: [(AccessRights, JSONValue, Int)] = [
                ([.share], ["read"], 403), ([.share, .act], ["read", "act"], 403), ([.share, .act], ["act"], 201),
                ([.share, .read], ["read"], 201), ([.share, .read], ["read", "act"], 403),
                ([.share, .act], ["presence"], 403), ([.share, .read], ["read", "presence"], 201),
            ]
            for (rights, may, status) in cases {
                _ = try await session.grant(rights, to: "bob")
                let answer = try await session.send("POST", "/shares", as: "bob", json: ["may": may])
                #expect(answer.status == status, "\(rights) \(may)")
                if status == 403 { #expect(answer.code == "forbidden") }
            }
            #expect(try await session.send("GET", "/shares", as: "ada").json["shares"]?.asArray?.count == 3)
        }
    }

    @Test("compares the bytes of ids: two spellings of one name in Unicode are two actors")
    func spelling() async throws {
        try await Self.run { session, _ in
            let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
            _ = try await session.grant(.read, to: composed)
            #expect(try await session.send(as: composed).status == 200)
            #expect(try await session.send(as: decomposed).status == 403)
        }
    }

    @Test("takes no use of a session from whom it refuses, so that strangers cannot keep it from expiring")
    func refusalsAreNoUse() async throws {
        let clock = ManualClock(WallClock().now())
        let club = ClubKind()
        try await LiveServer.run(
            kinds: [club.kind], clock: clock.clock, configuration: ClubSession.configuration()
        ) { server in
            let session = try await ClubSession.make(on: server)
            _ = try await session.grant(.read, to: "bob")
            let admin = "/admin" + session.path
            let used = try await server.get(admin, TestTokens.field(TestTokens.admin)).json["lastActiveAt"]
            clock.advance(by: 10_000)
            #expect(try await session.send(as: "carol").status == 403)
            #expect(try await session.post(as: "bob").status == 403)
            #expect(try await server.get(admin, TestTokens.field(TestTokens.admin)).json["lastActiveAt"] == used)
            #expect(try await session.send(as: "bob").status == 200)
            #expect(try await server.get(admin, TestTokens.field(TestTokens.admin)).json["lastActiveAt"] != used)
        }
    }
}

// Actions and their answers.
extension AccessFunctionTests {
    @Test("answers 204 to an action that takes its actor's right to read", arguments: Place.allCases)
    func ownRemoval(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            _ = try await own.grant([.read, .act], to: "bob")
            let trial = try await other.post(ClubSession.leave, as: "bob", query: "?dryRun=true")
            #expect(trial.status == 204 && trial.body.isEmpty)
            #expect(try await other.send(as: "bob").status == 200)
            let answer = try await other.post(ClubSession.leave, as: "bob")
            #expect(answer.status == 204 && answer.body.isEmpty && answer.taggedRevision == 2)
            #expect(try await other.send(as: "bob").status == 403)
        }
    }

    @Test("is asked for each action of a batch, which is refused whole")
    func batches() async throws {
        try await Self.run { session, _ in
            _ = try await session.grant([.read, .act], to: "bob")
            let batch: JSONValue = [ClubSession.post, ClubSession.leave, ClubSession.post]
            for query in ["", "?dryRun=true"] {
                let refused = try await session.post(batch, as: "bob", query: query)
                #expect(refused.status == 403 && refused.code == "forbidden")
            }
            #expect(try await session.revision() == 1)
            let allowed = try await session.post([ClubSession.post, ClubSession.leave], as: "bob")
            #expect(allowed.status == 204 && allowed.taggedRevision == 3)
            let entering: JSONValue = [
                ClubSession.grant([.read, .act], to: "carol"), ["type": "club/post"],
            ]
            #expect(try await session.post(entering, as: "carol").status == 403)
        }
    }

    @Test("shows no state to an actor who may act and not read, and keeps the rest of the answer")
    func actingBlindly() async throws {
        try await Self.run { session, _ in
            _ = try await session.grant(.act, to: "bob")
            let key = [("Idempotency-Key", "\"one\"")]
            let first = try await session.post(as: "bob", key)
            #expect(first.status == 204 && first.taggedRevision == 2)
            let again = try await session.post(as: "bob", key)
            #expect(again.status == 204 && again.taggedRevision == 2 && again["idempotency-replayed"] == "true")
            #expect(try await session.revision() == 2)
        }
    }

    @Test("answers a request that waits by the rights at its end", arguments: Place.allCases)
    func waiting(_ place: Place) async throws {
        let club = ClubKind()
        try await Self.run(place, club) { own, other in
            _ = try await own.grant([.read, .act], to: "bob")
            _ = try await own.grant([.read, .act], to: "carol")
            let waits = [("Prefer", "wait=3600")]
            async let removed = other.post(["type": "club/work"], as: "bob", waits)
            async let member = other.post(["type": "club/work"], as: "carol", waits)
            try await waitUntil { try await own.revision() == 4 }
            let removal = try #require(try await own.grant([], to: "bob").revision)
            club.work.fulfill(())
            let (answer, other) = try await (removed, member)
            #expect(answer.status == 204 && answer.body.isEmpty)
            #expect(answer.taggedRevision.map { $0 < removal } == true)
            #expect(other.status == 200 && other.revision == 7)
        }
    }

    @Test("keeps its promises where a large state is handled on other threads", arguments: Place.allCases)
    func largeStates(_ place: Place) async throws {
        try await Self.run(place) {
            $0.sessions.maxStateBytes = 1 << 24
        } _: { own, other in
            _ = try await own.post(["type": "club/fill", "payload": ["kibibytes": 2048]], as: "ada")
            #expect(try await other.send(as: "bob").status == 403)
            _ = try await own.grant([.read, .act], to: "bob")
            #expect(try await other.send("GET", "/state?select=count", as: "bob").status == 200)
            #expect(try await other.post(as: "bob", query: "?select=count").status == 200)
            let stream = try await other.events("?select=count", as: "bob")
            #expect(try await stream.state().state == 1)
            for below in ["/state", "/actions", "", "/actions?refused=true"] {
                #expect(try await other.send("GET", below, as: "bob").status == 200)
                #expect(try await other.send("GET", below, as: "carol").status == 403)
            }
            _ = try await own.post(ClubSession.grant([], to: "bob"), as: "ada", query: "?select=count")
            #expect(try await stream.event()?.data["reason"] == "revoked")
            for below in ["/state", "/actions", "", "/actions?refused=true"] {
                #expect(try await other.send("GET", below, as: "bob").status == 403)
            }
            #expect(try await other.post(as: "bob", query: "?select=count").status == 403)
        }
    }
}

// Streams.
extension AccessFunctionTests {
    @Test(
        "ends the streams of an actor who may not read any more, and those of nobody else", arguments: Place.allCases)
    func streams(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            _ = try await own.grant(.read, to: "bob")
            _ = try await own.grant(.read, to: "carol")
            let queries = [
                "", "?changes=patch", "?select=/posts", "?select=count", "?select=/posts&actions=true",
                "?changes=patch&actions=true&effects=true",
            ]
            var lost: [EventReader] = []
            var kept: [EventReader] = []
            for query in queries {
                lost.append(try await other.events(query, as: "bob"))
                kept.append(try await other.events(query, as: "carol"))
            }
            for stream in lost + kept { _ = try await stream.state() }
            _ = try await own.grant([], to: "bob")
            _ = try await own.post(as: "ada")
            for (index, stream) in lost.enumerated() {
                let event = try await stream.event()
                #expect(event?.name == "closed" && event?.data["reason"] == "revoked", "\(queries[index])")
                #expect(try await stream.event() == nil)
            }
            for stream in kept {
                var event = try #require(try await stream.event())
                while event.revision != 4 { event = try #require(try await stream.event()) }
                #expect(event.name != "closed")
            }
            let again = try await other.send("GET", "/events", as: "bob", [("Accept", "text/event-stream")])
            #expect(again.status == 403 && again.code == "forbidden")
        }
    }

    @Test("is asked once for each actor with a stream and each commit, however many streams it has")
    func once() async throws {
        let club = ClubKind()
        try await Self.run(.memory, club) { session, _ in
            for user in ["bob", "carol"] { _ = try await session.grant([.read, .act], to: user) }
            var streams: [EventReader] = []
            for query in ["", "?changes=patch", "?select=/posts"] {
                streams.append(try await session.events(query, as: "bob"))
                streams.append(try await session.events(query, as: "bob"))
            }
            streams.append(try await session.events(as: "carol"))
            for stream in streams { _ = try await stream.state() }
            let before = club.asked
            _ = try await session.post(as: "ada")
            for stream in streams { _ = try await stream.event() }
            let after = club.asked
            for user: ActorID in ["bob", "carol"] { #expect(after[user] == (before[user] ?? 0) + 1) }
            // A batch is one event, and one question.
            _ = try await session.post([ClubSession.post, ClubSession.post], as: "ada")
            for stream in streams { _ = try await stream.event() }
            #expect(club.asked["bob"] == (after["bob"] ?? 0) + 1)
        }
    }

    @Test("ends no stream that began after the right was given again")
    func again() async throws {
        try await Self.run { session, _ in
            _ = try await session.grant(.read, to: "bob")
            let first = try await session.events(as: "bob")
            _ = try await first.state()
            let batch: JSONValue = [ClubSession.grant([], to: "bob"), ClubSession.grant(.read, to: "bob")]
            _ = try await session.post(batch, as: "ada")
            // It shows only what is true after the batch.
            #expect(try await first.state().revision == 3)
            _ = try await session.grant([], to: "bob")
            _ = try await session.grant(.read, to: "bob")
            let second = try await session.events(as: "bob")
            #expect(try await second.state().revision == 5)
            #expect(try await first.event()?.data["reason"] == "revoked")
            _ = try await session.post(as: "ada")
            #expect(try await second.state().revision == 6)
        }
    }

    @Test("lets nobody resume a stream who may not read any more", arguments: ["", "?changes=patch", "?actions=true"])
    func resume(_ query: String) async throws {
        try await Self.run { session, _ in
            _ = try await session.grant(.read, to: "bob")
            let stream = try await session.events(query, as: "bob")
            let id = try #require(try await stream.state().id)
            _ = try await session.grant([], to: "bob")
            #expect(try await stream.event()?.name == "closed")
            let resumed = try await session.send("GET", "/events" + query, as: "bob", [("Last-Event-ID", id)])
            #expect(resumed.status == 403)
        }
    }

    @Test("shows a slow reader nothing that was committed after its removal", arguments: Place.allCases)
    func slowReader(_ place: Place) async throws {
        try await Self.run(place) {
            $0.streams.bufferBytes = 4096
        } _: { own, other in
            _ = try await own.grant(.read, to: "bob")
            let slow = try await other.events(as: "bob", receiveBuffer: 4096)
            let first = try #require(try await slow.state().revision)
            // Far more than the buffers between server and client hold.
            for round in 0..<400 {
                let fill: JSONValue = ["type": "club/fill", "payload": ["kibibytes": .integer(40 + round % 2)]]
                let answer = try await own.post(fill, as: "ada", query: "?select=count", [("Prefer", "return=minimal")])
                #expect(answer.status == 204)
            }
            let removal = try await own.post(ClubSession.grant([], to: "bob"), as: "ada", query: "?select=count")
            let last = try #require(removal.revision)
            _ = try await own.post(as: "ada", query: "?select=count")
            var revisions = [first]
            var event = try #require(try await slow.event())
            while event.name == "state" {
                revisions.append(try #require(event.revision))
                event = try #require(try await slow.event())
            }
            #expect(event.data["reason"] == "revoked")
            #expect(try #require(revisions.last) < last && revisions.count < 300)
            #expect(try await slow.event() == nil)
        }
    }
}
