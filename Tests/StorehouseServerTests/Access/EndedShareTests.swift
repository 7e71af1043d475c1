import JSON
import ProcessTesting
import RedisTesting
import Sessions
import StoreHosting
import StorehouseServer
import Testing

/// The shares of a session that has ended, or will end.
private struct SomeShares: Sendable {
    let inForce: [TestShare]
    let revoked: [TestShare]

    /// Makes some, and revokes some.
    init(of session: LiveSession) async throws {
        let shares = session.path + "/shares"
        var revoked = [try await session.counterShare(), try await session.share()]
        #expect(try await session.server.delete(shares).status == 204)
        let guest: JSONValue = ["may": ["read", "act"], "as": ["id": "1"]]
        inForce = [try await session.counterShare(), try await session.share(guest)]
        revoked.append(try await session.counterShare())
        let id = try #require(revoked.last?.answer.json["id"]?.asString)
        #expect(try await session.server.delete(shares + "/" + id).status == 204)
        self.revoked = revoked
    }

    /// Whether a server that knows that the session has ended tells that to the holders of shares that were in force then, and to nobody
    /// else.
    ///
    /// - Parameter areKnown: whether it knows which shares were revoked.
    func expectEnd(at server: any TestServing, areKnown: Bool = true) async throws {
        for share in inForce + (areKnown ? [] : revoked) { try await Self.expect(410, "session-ended", share, server) }
        for share in areKnown ? revoked : [] { try await Self.expect(404, "no-such-share", share, server) }
        for share in inForce {
            let forged = share.path.dropLast(2) + (share.path.hasSuffix("AA") ? "BA" : "AA")
            #expect(try await server.get(forged + "/state").code == "no-such-share")
        }
    }

    private static func expect(
        _ status: Int, _ code: String, _ share: TestShare, _ server: any TestServing
    ) async throws {
        for answer in try await TestShare.at(server, share).everything() {
            #expect(answer.status == status && (answer.code == code || answer.body.isEmpty), "\(answer.text)")
        }
    }
}

@Suite("A share of an ended session", .timeLimit(.minutes(10)))
struct EndedShareTests {
    enum Place: CaseIterable { case memory, file, redis }

    @Test(
        "is gone if it was in force at the end, and as unknown as ever if it was revoked before",
        arguments: Place.allCases)
    func revoked(_ place: Place) async throws {
        if place == .memory {
            return try await TestAPI.run { api in
                let session = try await api.session()
                let shares = try await SomeShares(of: session)
                #expect(try await session.delete().status == 204)
                try await shares.expectEnd(at: api)
            }
        }
        let durable = try DurableServer(onRedis: place == .redis)
        let (path, shares) = try await durable.runAPI { api in
            let session = try await api.session()
            return (session.path, try await SomeShares(of: session))
        }
        try await durable.runAPI { api in
            #expect(try await api.delete(path).status == 204)
            try await shares.expectEnd(at: api)
        }
        // By now only the storage knows of it.
        for _ in 0..<2 { try await durable.runAPI { try await shares.expectEnd(at: $0) } }
    }

    @Test("that an operator has ended without a server", arguments: [false, true])
    func operators(isOnRedis: Bool) async throws {
        let durable = try DurableServer(onRedis: isOnRedis)
        let (path, shares) = try await durable.runAPI { api in
            let session = try await api.session()
            return (session.path, try await SomeShares(of: session))
        }
        let id = String(try #require(path.split(separator: "/").last))
        #expect(try await durable.command(["sessions", "--delete=\(id)"]).status == 0)
        try await durable.runAPI { try await shares.expectEnd(at: $0) }
    }

    @Test("that has expired while no server had it in memory")
    func expiredSession() async throws {
        let (durable, clock) = (try DurableServer(), ManualClock())
        let configuration = Configuration.with { $0.sessions.idleTimeout = .seconds(100) }
        let shares = try await durable.runAPI(clock: clock.clock, configuration: configuration) { api in
            try await SomeShares(of: try await api.session())
        }
        clock.advance(by: 200_000)
        for _ in 0..<2 {
            try await durable.runAPI(clock: clock.clock, configuration: configuration) { api in
                try await shares.expectEnd(at: api)
            }
        }
    }

    @Test("is unknown once it has expired, before the end or after it")
    func expired() async throws {
        let clock = ManualClock()
        try await TestAPI.run(clock: clock.clock) { api in
            let session = try await api.session()
            let shares = [try await session.share(["expiresIn": 60]), try await session.share(["expiresIn": 90])]
            clock.advance(by: 60_000)
            #expect(try await session.delete().status == 204)
            #expect(try await shares[0].state().code == "no-such-share")
            #expect(try await shares[1].state().code == "session-ended")
            clock.advance(by: 30_000)
            #expect(try await shares[1].state().code == "no-such-share")
        }
    }

    @Test("is the same at each node, whichever had the session")
    func nodes() async throws {
        try await TestCluster.run { cluster in
            for (owner, end) in [(cluster.first, cluster.first), (cluster.first, cluster.second)] {
                let session = try await owner.session()
                let shares = try await SomeShares(of: session)
                #expect(try await session.at(end).delete().status == 204)
                for node in [cluster.second, cluster.first] { try await shares.expectEnd(at: node) }
            }
        }
    }

    @Test("is unknown if its maker could not share at the end", arguments: Place.allCases)
    func makers(_ place: Place) async throws {
        let (club, configuration) = (ClubKind(), ClubSession.configuration())
        let body = { (api: TestAPI) async throws -> (own: TestShare, bobs: TestShare) in
            let session = try await ClubSession.make(on: api)
            _ = try await session.grant([.read, .share], to: "bob")
            let shares = (
                own: try TestShare(try await session.send("POST", "/shares", as: "ada", json: [:]), of: api),
                bobs: try TestShare(try await session.send("POST", "/shares", as: "bob", json: [:]), of: api)
            )
            #expect(try await shares.bobs.state().status == 200)
            _ = try await session.grant([.read], to: "bob")
            #expect(try await session.send("DELETE", "", as: "ada").status == 204)
            #expect(try await shares.own.state().code == "session-ended")
            #expect(try await shares.bobs.state().code == "no-such-share")
            return shares
        }
        if place == .memory {
            _ = try await TestAPI.run(kinds: [club.kind], configuration: configuration, body)
            return
        }
        let durable = try DurableServer(onRedis: place == .redis)
        let shares = try await durable.runAPI(kinds: [club.kind], configuration: configuration, body)
        try await durable.runAPI(kinds: [club.kind], configuration: configuration) { (api: TestAPI) async throws in
            #expect(try await TestShare.at(api, shares.own).state().code == "session-ended")
            #expect(try await TestShare.at(api, shares.bobs).state().code == "no-such-share")
        }
    }

    @Test("is gone, revoked or not, if an earlier release has ended the session")
    func earlierRelease() async throws {
        let redis = try RedisServer()
        let shares = try await TestCluster.runNode(on: redis) { node in
            let session = try await node.session()
            let shares = try await SomeShares(of: session)
            #expect(try await session.delete().status == 204)
            try await shares.expectEnd(at: node)
            return shares
        }
        // The end as that release has stored it.
        let key = try #require(try redis.execute("KEYS", "{storehouse}:s:*").first)
        try redis.execute(
            "EVAL", "return redis.call('SET', KEYS[1], cmsgpack.pack({'', ''}), 'PX', 3900000)", "1", key)
        try await TestCluster.runNode(on: redis) { try await shares.expectEnd(at: $0, areKnown: false) }
    }
}
