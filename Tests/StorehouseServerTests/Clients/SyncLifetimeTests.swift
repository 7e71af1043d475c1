import Foundation
import JSON
import Journal
import Locks
import StoreHosting
import StorehouseServer
import StoresTesting
import Testing

/// The records of clients last as long as their sessions.
@Suite("The record of a client", .timeLimit(.minutes(5))) struct SyncLifetimeTests {
    private typealias Outbox = TestOutbox

    private static let refused = TestOutbox.entry("counter/explode")

    @Test("is there after a restart", arguments: [false, true])
    func restarts(_ onRedis: Bool) async throws {
        let durable = try DurableServer(onRedis: onRedis)
        let (outbox, mark) = try await durable.runAPI { api in
            let outbox = Outbox(try await api.session())
            let mark = try await outbox.begin().json["mark"]
            _ = try await outbox.send(from: 1, Outbox.increment, Self.refused)
            _ = try await outbox.send(from: 2, Self.refused, Self.refused)
            return (outbox, mark)
        }
        try await durable.runAPI { api in
            let outbox = outbox.at(api)
            let answer = try await outbox.send(from: 2, Self.refused, Self.refused, Outbox.increment)
            #expect(answer.results == ["2 refused again", "3 refused again", "4 committed"])
            #expect(answer.json["mark"] == mark && answer.revision == 2)
            #expect(try await outbox.send(from: 4, Outbox.entry("counter/decrement")).code == "sequence-conflict")
        }
    }

    @Test("is there after hibernation", arguments: [false, true])
    func hibernates(_ onRedis: Bool) async throws {
        let durable = try DurableServer(onRedis: onRedis)
        try await durable.runAPI(configuration: .with { $0.sessions.maxResident = 1 }) { api in
            let outbox = Outbox(try await api.session())
            try await outbox.begin()
            _ = try await outbox.send(from: 1, Self.refused)
            _ = try await api.session().increment()
            try await api.hibernates(to: 1)
            #expect(try await outbox.send(from: 1, Self.refused).results == ["1 refused again"])
        }
    }

    @Test("is not there in a fork")
    func forks() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            try await Outbox(session).begin()
            let fork = try await api.post(session.path + "/forks", json: [:])
            let path = try #require(fork["location"])
            #expect(try await Outbox(LiveSession(server: api, path: path)).read(from: 1).code == "client-forgotten")
        }
    }

    @Test("is with the other node when the session goes there")
    func handover() async throws {
        try await TestCluster.run { cluster in
            let session = try await cluster.first.session()
            let here = Outbox(session)
            try await here.begin()
            _ = try await here.send(from: 1, Outbox.increment)
            let there = here.at(cluster.second)
            #expect(try await there.send(from: 1, Outbox.increment)["via"] != nil)
            // The node that is used gets the session.
            try await waitUntil { try await there.read(from: 1)["via"] == nil }
            let answer = try await there.send(from: 1, Outbox.increment, Outbox.increment)
            #expect(answer.results == ["1 committed again", "2 committed"])
            #expect(try await here.read(from: 2).results == ["2 committed again"])
        }
    }

    @Test("has no secret in storage, nor a hash that tells one from another", arguments: [false, true])
    func secrets(_ hasKey: Bool) async throws {
        let durable = try DurableServer()
        let entry = { (password: String) in
            Outbox.entry("login/enteringCredential", ["password": .string(password)])
        }
        let configuration = Configuration.with {
            if hasKey { $0.access.secret = .init(TestTokens.secret) }
        }
        let outbox = try await durable.runAPI(configuration: configuration) { api in
            let outbox = Outbox(try await api.session("login"))
            try await outbox.begin()
            #expect(try await outbox.send(from: 1, entry("hunter2hunter2")).results == ["1 committed"])
            // Without a key of its own, the server compares what it may store.
            let other = try await outbox.send(from: 1, entry("other password"))
            #expect(other.code == (hasKey ? "sequence-conflict" : nil))
            return outbox
        }
        for suffix in ["", "-wal"] {
            let bytes = (try? Data(contentsOf: URL(filePath: durable.path + suffix))) ?? Data()
            #expect(bytes.range(of: Data("hunter2".utf8)) == nil)
            #expect(bytes.range(of: Data(outbox.client.utf8)) == nil)
        }
    }

    @Test("is given up for others in their order, and a client that finds no room is told when there is some")
    func room() async throws {
        let clock = ManualClock()
        let configuration = Configuration.with { $0.sessions.maxClients = 2 }
        try await TestAPI.run(clock: clock.clock, configuration: configuration) { api in
            let session = try await api.session()
            let clients = (0..<4).map { Outbox(session, client: String(repeating: "\($0)", count: 22)) }
            for client in clients.prefix(2) {
                try await client.begin()
                _ = try await client.send(from: 1, Outbox.increment)
                clock.advance(by: 1)
            }
            let refused = try await clients[2].post(["client": .string(clients[2].client), "new": true, "from": 1])
            #expect(refused.status == 429 && refused.code == "too-many-clients" && refused["retry-after"] == "600")
            clock.advance(by: 600_000)
            try await clients[2].begin()
            #expect(try await clients[2].send(from: 1, Outbox.increment).results == ["1 committed"])
            #expect(try await clients[0].read(from: 1).code == "client-forgotten")
            #expect(try await clients[1].read(from: 1).results == ["1 committed again"])
        }
    }
}
