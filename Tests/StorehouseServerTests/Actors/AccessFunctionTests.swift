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

    @Test("is asked once for all rights that a share passes on")
    func rightsToPassOn() async throws {
        let club = ClubKind()
        try await Self.run(.memory, club) { session, _ in
            _ = try await session.grant([.read, .act, .share], to: "bob")
            var questions: [Int] = []
            for may in [["read"], ["read", "act"]] as [JSONValue] {
                let before = club.asked["bob"] ?? 0
                let answer = try await session.send("POST", "/shares", as: "bob", json: ["may": may])
                #expect(answer.status == 201)
                questions.append((club.asked["bob"] ?? 0) - before)
            }
            // Before anything of the request is looked at, and in the step that makes the share.
            #expect(questions == [2, 2])
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

    @Test("ends a share when its maker may not share any more, also if nobody has watched", arguments: Place.allCases)
    func sharesWithoutStreams(_ place: Place) async throws {
        try await Self.run(place) { session, other in
            _ = try await session.grant([.read, .act, .share], to: "bob")
            let made = try await session.send("POST", "/shares", as: "bob", json: [:])
            let share = try TestShare(made, of: other.server)
            #expect(try await share.state().status == 200)
            _ = try await session.grant([.read, .act], to: "bob")
            #expect(try await share.state().code == "no-such-share")
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
