import Foundation
import Journal
import RedisJournal
import RedisTesting
import StoreHosting
import Stores
import Testing

@Suite("The promotion of a replica", .timeLimit(.minutes(5)))
struct RedisFailoverTests {
    /// A primary and a replica, and an address that leads to the one or the other.
    private struct Pair {
        let primary: RedisServer
        let replica: RedisServer
        private let replicaPort: Int
        private let link: URL

        init() throws {
            let port: Int
            (primary, port) = try RedisServer.startOnPort()
            (replica, replicaPort) = try RedisServer.startOnPort()
            link = primary.directory.appending(path: "current")
            try lead(to: primary)
            try replica.execute("REPLICAOF", "127.0.0.1", "\(port)")
        }

        var address: RedisAddress { get throws { try RedisAddress("unix://\(link.path)") } }

        private func lead(to server: RedisServer) throws {
            try? FileManager.default.removeItem(at: link)
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: server.socket)
        }

        /// Waits until the replica has everything.
        func awaitReplica() async throws {
            try await eventually { try primary.execute("WAIT", "1", "1000").first == "1" }
        }

        /// Promotes the replica. The primary goes on for those that are connected to it.
        func promote() throws { try replica.execute("REPLICAOF", "NO", "ONE") }

        /// Ends the primary: the address leads to the replica from now on.
        func replace() throws {
            primary.kill()
            try lead(to: replica)
        }

        /// Gives the promoted replica a replica of its own.
        func followed() throws -> RedisServer {
            let next = try RedisServer()
            try next.execute("REPLICAOF", "127.0.0.1", "\(replicaPort)")
            return next
        }
    }

    /// A session whose newest five commits the promoted replica does not have.
    private func loseCommits(of journal: RedisJournal, on pair: Pair) async throws -> any SessionJournal {
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step()
        #expect(await session.awaitDurable() == nil)
        try await pair.awaitReplica()
        try pair.promote()
        store.step(5)
        #expect(await session.awaitDurable() == nil)
        return session
    }

    @Test("gives the histories other names although no node is left that knew the lost commits")
    func newNodesOnly() async throws {
        let pair = try Pair()
        let first = try pair.primary.open(at: pair.address)
        _ = try await loseCommits(of: first, on: pair)
        try pair.replace()
        try pair.replica.execute("DEL", "{test}:nodes")
        let second = try pair.replica.open(node: "second:1")
        let found = try await second.session("session")
        #expect(found.summary.revision == 1 && found.summary.header.historyID.hasPrefix("h."))
        await second.closed()
        await first.closed()
    }

    @Test("is noticed by a node that comes second, however many commits there are by then")
    func survivor() async throws {
        let pair = try Pair()
        let first = try pair.primary.open(at: pair.address)
        let session = try await loseCommits(of: first, on: pair)
        let second = try pair.replica.open(node: "second:1")
        let other = second.create(Step.session("other"))
        let store = Step.store(other)
        for _ in 0..<20 {
            store.step()
            #expect(await other.awaitDurable() == nil)
        }
        try pair.replace()
        try await eventually { session.hasFailed }
        try await eventually { first.isAvailable }
        let found = try await first.session("session")
        #expect(found.summary.revision == 1 && found.summary.header.historyID.hasPrefix("h."))
        // The loss is found once.
        #expect(!other.hasFailed)
        await second.closed()
        await first.closed()
    }

    @Test("keeps the histories if replicas confirm each commit")
    func confirmedCommits() async throws {
        let pair = try Pair()
        let first = try pair.primary.open(at: pair.address, replicas: 1)
        let session = first.create(Step.session())
        Step.store(session).step(5)
        #expect(await session.awaitDurable() == nil)
        try pair.replace()
        try pair.promote()
        let next = try pair.followed()
        try await eventually { first.isAvailable }
        let found = try await first.session("session")
        #expect(found.summary.revision == 5 && found.summary.header.historyID == "h")
        await first.closed()
        next.kill()
    }

    @Test("is told from a restart, and from data of an earlier release, whose histories keep their names")
    func restartAndUpgrade() async throws {
        let server = try RedisServer()
        let first = try server.open()
        let session = first.create(Step.session())
        Step.store(session).step(3)
        #expect(await session.awaitDurable() == nil)
        await first.closed()
        for earlierLayout in [nil, "3", "4"] {
            if let earlierLayout {
                try server.execute("HDEL", "{test}:meta", "era", "lineage")
                try server.execute("HSET", "{test}:meta", "layout", earlierLayout)
            }
            for restarts in [true, false] {
                if restarts {
                    server.kill()
                    try server.start()
                }
                let again = try server.open()
                #expect(try await again.session("session").summary.header.historyID == "h")
                await again.closed()
            }
        }
    }

    @Test("is told from a first replica, with which Redis takes another name, while nodes write")
    func firstReplica() async throws {
        let (server, port) = try RedisServer.startOnPort()
        let events = StorageEvents()
        let first = try server.open(report: events.report)
        let session = first.create(Step.session())
        let store = Step.store(session)
        store.step()
        #expect(await session.awaitDurable() == nil)
        let name = {
            let lines = try server.execute("INFO", "replication").flatMap { $0.split(whereSeparator: \.isNewline) }
            return try #require(lines.first { $0.hasPrefix("master_replid:") })
        }
        let before = try name()
        let replica = try RedisServer()
        try replica.execute("REPLICAOF", "127.0.0.1", "\(port)")
        try await eventually { try name() != before }
        let second = try server.open(node: "second:1")
        // The first node has not noticed yet.
        store.step(5)
        #expect(await session.awaitDurable() == nil)
        try await events.wait { if case .disconnected = $0 { true } else { false } }
        try await events.wait { $0 == .recovered || $0 == .lostCommits }
        #expect(!session.hasFailed)
        let found = try await first.session("session")
        #expect(found.summary.revision == 6 && found.summary.header.historyID == "h")
        await second.closed()
        await first.closed()
        replica.kill()
    }

    @Test("is noticed by nodes whose data were deleted under them")
    func deletedData() async throws {
        let server = try RedisServer()
        let events = StorageEvents()
        let journal = try server.open(report: events.report)
        let session = journal.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        try server.execute("FLUSHALL")
        try await events.wait { $0 == .lostCommits }
        #expect(session.hasFailed)
        await journal.closed()
    }
}
