import Cluster
import Foundation
import JSON
import Journal
import Locks
import RedisJournal
import RedisTesting
import StorehouseServer
import Stores
import StoresTesting
import Testing
import Threads

/// The owner of a session follows the load balancer.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct HandoverTests {
    /// After so many forwarded requests, the next one hands the session over.
    private static let limit = 16

    /// How many sessions a node has handed over.
    private static func handovers(of server: LiveServer) async throws -> Int? {
        let name = "storehouse_cluster_handovers_total "
        let lines = String(decoding: try await server.get("/metrics").body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) }
    }

    @Test func aSessionMovesToTheNodeThatIsUsed() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            let client = try cluster.second.client()
            for revision in 1...(3 * Self.limit) {
                let response = try await client.exchange(there.request("counter/increment", ["by": 1]))
                #expect(response.status == 200)
                #expect(response.revision == revision)
                #expect((response["via"] != nil) == (revision <= Self.limit), "\(revision)")
            }
            #expect(try await Self.handovers(of: cluster.first) == 1)
            #expect(try await Self.handovers(of: cluster.second) == 0)
            try await cluster.first.log.line(with: "session handed over")
            let document = try await here.read()
            #expect(document["via"] == "1.1 127.0.0.1:\(cluster.first.port)")
            #expect(document.at("/node") == .string("127.0.0.1:\(cluster.second.port)"))
            // It moves back in the same way.
            for _ in 0..<Self.limit { #expect(try await here.increment().status == 200) }
            #expect(try await here.increment()["via"] == nil)
            #expect(try await here.state("/counter/count") == .integer(4 * Self.limit + 1))
        }
    }

    @Test func aRequestOfItsOwnClientsKeepsIt() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            for _ in 0..<3 {
                for _ in 0..<Self.limit { #expect(try await there.increment()["via"] != nil) }
                #expect(try await here.read()["via"] == nil)
            }
            #expect(try await Self.handovers(of: cluster.first) == 0)
        }
    }

    @Test func itRarelyMovesUnderARandomLoadBalancer() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            var random = SeededGenerator(seed: 7)
            for revision in 1...400 {
                let server = Bool.random(using: &random) ? cluster.first : cluster.second
                #expect(try await here.at(server).increment().revision == revision)
            }
            let moves = [try await Self.handovers(of: cluster.first), try await Self.handovers(of: cluster.second)]
            #expect(moves == [0, 0])
        }
    }

    @Test func keysHoldAcrossTheHandover() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            let fields = [("Idempotency-Key", "\"one\"")]
            let first = try await there.dispatch("counter/increment", ["by": 1], fields: fields)
            for _ in 0..<Self.limit {
                let repeated = try await there.dispatch("counter/increment", ["by": 1], fields: fields)
                #expect(repeated.status == 200)
                #expect(repeated["idempotency-replayed"] == "true")
                #expect(repeated["etag"] == first["etag"])
            }
            let last = try await here.dispatch("counter/increment", ["by": 1], fields: fields)
            #expect(last["via"] == "1.1 127.0.0.1:\(cluster.first.port)")
            #expect(last["idempotency-replayed"] == "true")
            #expect(try await there.revision() == 1)
            let condition = [("If-Match", try #require(first["etag"]))]
            #expect(try await there.dispatch("counter/increment", fields: condition).status == 200)
        }
    }

    @Test func streamsThroughTheOtherNodeGoOnThere() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            let events = try await there.events(query: "?changes=patch&effects=true")
            #expect(try await events.state().revision == 0)
            for _ in 0..<Self.limit { _ = try await there.increment() }
            var last: StreamEvent?
            while let event = try await events.event(), event.name != "closed" { last = event }
            let id = try #require(last?.id)
            // The stream was a request too.
            #expect(last?.revision == Self.limit - 1)
            let resumed = try await there.events(query: "?changes=patch", [("Last-Event-ID", id)])
            #expect(resumed.head["via"] == nil)
            let patch = try #require(try await resumed.event())
            #expect(patch.name == "patch")
            #expect(patch.revision == Self.limit)
        }
    }

    @Test func streamsThroughTheOtherNodeAreClosedAsIfTheyWereOld() async throws {
        try await TestCluster.run { cluster in
            let there = try await cluster.first.session().at(cluster.second)
            let events = try await there.events()
            for _ in 0..<Self.limit { _ = try await there.read("/state") }
            #expect(try await events.state().revision == 0)
            let closed = try #require(try await events.event())
            #expect(closed.name == "closed")
            #expect(closed.data["reason"] == "rotated")
            #expect(try await events.event() == nil)
        }
    }

    @Test func aStreamOfAnotherClientKeepsIt() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            try await Self.watch(here) {
                for _ in 0..<(4 * Self.limit) {
                    let response = try await there.increment()
                    #expect(response["via"] != nil)
                }
            }
            // Now the session moves.
            let request = there.request("counter/increment", ["by": 1])
            let moved = try await cluster.second.eventually(request) { $0["via"] == nil }
            #expect(moved.status == 200)
        }
    }

    /// Has a stream open for as long as `body` runs.
    private static func watch(_ session: LiveSession, _ body: () async throws -> Void) async throws {
        let client = try session.server.client()
        try await client.send(TestRequest("GET", session.path + "/events").bytes)
        #expect(try await client.head().status == 200)
        try await body()
        try await client.makeReset()
    }

    @Test func aRunningEffectKeepsIt() async throws {
        let remote = ScriptedRemoteClient()
        try await TestCluster.run(animal: remote) { cluster in
            let here = try await cluster.first.session("animal")
            let there = here.at(cluster.second)
            #expect(try await there.dispatch("animal/fetchAnimal").status == 200)
            for _ in 0..<(2 * Self.limit) { #expect(try await there.read("/state")["via"] != nil) }
            remote.reply(#"{"animal":"Cat"}"#)
            let moved = try await cluster.second.eventually(TestRequest("GET", there.path)) { $0["via"] == nil }
            #expect(moved.status == 200)
            #expect(try await there.state("/animal/currentAnimal") == "Cat")
        }
    }

    @Test func aRequestThatWaitsIsAnsweredFirst() async throws {
        let remote = ScriptedRemoteClient()
        // Others wait for the one in progress, but not until the end.
        var waits = ClusterWaits.long
        waits.handover = ClusterWaits().handover
        try await TestCluster.run(animal: remote, waits: waits) { cluster in
            let there = try await cluster.first.session("animal").at(cluster.second)
            async let waiting = there.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=3600")])
            // At the owner, so that the session does not move before.
            let state = TestRequest("GET", there.path + "/state")
            _ = try await cluster.first.eventually(state) { $0.revision == 1 }
            for _ in 0..<(2 * Self.limit) { #expect(try await there.read("/state")["via"] != nil) }
            remote.reply(#"{"animal":"Cat"}"#)
            let answer = try await waiting
            #expect(answer.status == 200)
            #expect(answer.at("/settled") == .bool(true))
            #expect(answer["via"] != nil)
        }
    }

    @Test func aTimerFiresThoughNobodyClaimsTheSession() async throws {
        let redis = try RedisServer()
        let time = ManualClock()
        try await TestCluster.runNode(on: redis, kinds: [Alarm.kind], clock: time.clock) { node in
            let session = try await node.session("alarm")
            let deadline = time.now + 10_000
            #expect(try await session.dispatch("alarm/set", ["at": .integer(deadline)]).status == 200)
            let other = try await PlayedNode(at: node)
            for _ in 0..<Self.limit { #expect(try await other.get(session.path + "/state").status == 200) }
            // The other node does nothing with the session.
            #expect(try await other.get(session.path + "/state").status == 421)
            let key = try #require(try redis.execute("KEYS", "{storehouse}:s:*").first)
            let claim = try redis.execute("HGET", key, "claim")
            #expect(claim.first?.hasPrefix("0 ") == true)
            #expect(try redis.execute("HGET", key, "revision") == ["1"])
            time.advance(by: 10_000)
            try await waitUntil { try redis.execute("HGET", key, "revision") == ["2"] }
            let log = try await session.read("/actions")
            #expect(log.at("/actions/1/type") == "alarm/ring")
            #expect(log.at("/actions/2") == nil)
        }
    }

    @Test func noActionIsLostOrDoubledUnderConcurrentWriters() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let moves = Locked(0)
            // The load balancer changes its mind several times.
            for round in 0..<6 {
                let there = here.at(round.isMultiple(of: 2) ? cluster.second : cluster.first)
                let revisions = try await withThrowingTaskGroup(of: [Int].self) { group in
                    for writer in 0..<8 {
                        group.addTask {
                            let client = try there.server.client()
                            var revisions: [Int] = []
                            for number in 0..<40 {
                                let key = ("Idempotency-Key", "\"\(round)-\(writer)-\(number)\"")
                                let request = there.request(
                                    "counter/increment", ["by": 1], fields: number.isMultiple(of: 2) ? [key] : [])
                                let response = try await client.exchange(request)
                                #expect(response.status == 200)
                                if response["via"] == nil { moves.withLock { $0 += 1 } }
                                revisions.append(response.revision ?? 0)
                            }
                            #expect(revisions == revisions.sorted())
                            return revisions
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                #expect(revisions.sorted() == Array((round * 320 + 1)...((round + 1) * 320)))
            }
            #expect(try await here.state("/counter/count") == 1920)
            #expect(moves.withLock(\.self) > 320, "many requests find the session at their node")
            let count = [try await Self.handovers(of: cluster.first), try await Self.handovers(of: cluster.second)]
            #expect(count.compactMap(\.self).reduce(0, +) > 1)
        }
    }

    @Test func aPersonalSessionMovesToo() async throws {
        try await TestCluster.run(configuration: TestTokens.configuration()) { cluster in
            _ = try await cluster.first.send("GET", "/sessions/me", as: "alice")
            for _ in 0..<Self.limit {
                let response = try await cluster.second.send("GET", "/sessions/me", as: "alice")
                #expect(response["via"] != nil)
            }
            let moved = try await cluster.second.send("GET", "/sessions/me", as: "alice")
            #expect(moved.status == 200)
            #expect(moved["via"] == nil)
        }
    }

    @Test func aSessionStaysUsableIfRedisFailsAtTheHandover() async throws {
        // Redis has so long to answer, and the test waits twice as long when it does not.
        let timeouts = RedisTimeouts(reply: .seconds(5), readTimeout: .seconds(5), exchange: .seconds(5))
        try await TestCluster.run(timeouts: timeouts) { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            for _ in 0..<Self.limit { _ = try await there.increment() }
            cluster.redis.send(SIGSTOP)
            let client = try cluster.second.client()
            try await client.send(TestRequest("GET", there.path + "/state").bytes)
            // Until the commands have failed.
            #expect(try await client.response().status == 503)
            cluster.redis.send(SIGCONT)
            for session in [here, there] {
                let state = TestRequest("GET", session.path + "/state")
                let response = try await session.server.eventually(state) { $0.status == 200 }
                #expect(response.revision == Self.limit)
            }
        }
    }
}
