import Cluster
import JSON
import RedisTesting
import Sessions
import StorehouseServer
import Testing

/// Presence and signals of a session whose clients are at several nodes.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PresenceClusterTests {
    private static func configuration(grace: Duration = .milliseconds(300)) -> Configuration {
        TestTokens.configuration { $0.streams.presenceGrace = grace }
    }

    private static func user(_ name: String, _ session: LiveSession) -> [(String, String)] {
        TestTokens.field(of: name, ["sessions": [.string(session.id)]])
    }

    private static func ids(_ list: JSONValue?) -> [String]? {
        list?.asArray.map { $0.compactMap { $0["actor"]?["id"]?.asString } }
    }

    /// A session that stays at the first node, because its owner watches it there.
    private static func session(_ server: LiveServer) async throws -> (LiveSession, EventReader) {
        let session = LiveSession(server: server, path: try await server.sessionPath(of: "owner"))
        let events = try await session.events(query: "?presence=true&signals=true", user("owner", session))
        _ = try await events.state()
        #expect(ids(try await events.event()?.data["present"]) == ["owner"])
        return (session, events)
    }

    @Test func clientsOfEachNodeSeeThoseOfTheOthers() async throws {
        try await TestCluster.run(configuration: Self.configuration()) { cluster in
            let (here, events) = try await Self.session(cluster.first)
            let there = here.at(cluster.second)
            let ada = Self.user("ada", here)
            let other = try await there.events(query: "?presence=true&signals=true", ada)
            _ = try await other.state()
            #expect(Self.ids(try await other.event()?.data["present"]) == ["owner", "ada"])
            #expect(Self.ids(try await events.event()?.data["joined"]) == ["ada"])
            #expect(Self.ids(try await there.read("/presence", ada).json["present"]) == ["owner", "ada"])
            let signal: JSONValue = ["type": "cursor", "payload": 7]
            #expect(try await there.server.post(there.path + "/signals", ada, json: signal).status == 204)
            for stream in [events, other] {
                let event = try #require(try await stream.event())
                #expect(event.name == "signal" && event.data["actor"]?["id"] == "ada")
            }
            try await other.finishSending()
            #expect(Self.ids(try await events.event()?.data["left"]) == ["ada"])
        }
    }

    /// The system ends the connections of a process that was killed.
    @Test func theClientsOfANodeThatWasKilledLeaveAfterTheGrace() async throws {
        try await TestCluster.runNode(on: RedisServer(), Self.configuration()) { owner in
            let (session, events) = try await Self.session(owner)
            let front = try await PlayedNode(at: owner)
            for name in ["ada", "bob"] {
                let request = TestRequest("GET", session.path + "/events", Self.user(name, session))
                let number = try await front.send(request)
                try await front.stream(number) { $0.contains("event: state") }
            }
            var present: Set<String> = []
            while present != ["ada", "bob"] {
                present.formUnion(Self.ids(try #require(try await events.event()).data["joined"]) ?? [])
            }
            try await front.client.finishSending()
            while !present.isEmpty {
                let event = try #require(try await events.event())
                #expect(Self.ids(event.data["joined"]) == [])
                present.subtract(Self.ids(event.data["left"]) ?? [])
            }
            let list = try await session.read("/presence", Self.user("owner", session))
            #expect(Self.ids(list.json["present"]) == ["owner"])
        }
    }

    /// A node that stands still, or that is cut off, closes nothing.
    @Test func theClientsOfANodeThatIsSilentLeave() async throws {
        var waits = ClusterWaits.long
        waits.silence = .seconds(1)
        try await TestCluster.runNode(on: RedisServer(), Self.configuration(), waits: waits) { owner in
            let (session, events) = try await Self.session(owner)
            let front = try await PlayedNode(at: owner)
            let number = try await front.send(
                TestRequest("GET", session.path + "/events", Self.user("ada", session)))
            try await front.stream(number) { $0.contains("event: state") }
            // From now on it sends nothing, not even a question whether the owner is there.
            #expect(Self.ids(try await events.event()?.data["joined"]) == ["ada"])
            #expect(Self.ids(try await events.event()?.data["left"]) == ["ada"])
            let list = try await session.read("/presence", Self.user("owner", session))
            #expect(Self.ids(list.json["present"]) == ["owner"])
            withExtendedLifetime(front) {}
        }
    }

    @Test func presenceIsRebuiltAtTheNextOwnerFromTheStreamsThatComeBack() async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis, Self.configuration()) { second in
            let (path, other) = try await TestCluster.runNode(on: redis, Self.configuration()) { first in
                let (session, events) = try await Self.session(first)
                let other = try await session.at(second).events(query: "?presence=true", Self.user("ada", session))
                _ = try await other.state()
                #expect(Self.ids(try await events.event()?.data["joined"]) == ["ada"])
                #expect(Self.ids(try await other.event()?.data["present"]) == ["owner", "ada"])
                return (session.path, other)
            }
            while let event = try await other.event() { #expect(event.name != "presence" || event.data["left"] == []) }
            let session = LiveSession(server: second, path: path)
            let ada = Self.user("ada", session)
            let again = try await session.events(query: "?presence=true", ada)
            _ = try await again.state()
            #expect(Self.ids(try await again.event()?.data["present"]) == ["ada"])
        }
    }
}
