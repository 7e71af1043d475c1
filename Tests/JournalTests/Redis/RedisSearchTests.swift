import Journal
import RedisJournal
import RedisTesting
import StoreHosting
import Testing

@Suite("Nodes that search one Redis", .timeLimit(.minutes(5)))
struct RedisSearchTests {
    @Test("find the timers and idle sessions that are free or their own")
    func scans() async throws {
        let server = try RedisServer()
        let first = try server.open(node: "first:1", lease: .seconds(60))
        let second = try server.open(node: "second:1", lease: .seconds(60))
        for (node, names) in [(first, ["a", "c"]), (second, ["b", "d"])] {
            for (name, deadline) in zip(names, [5, nil]) {
                let session = node.create(Step.session(name))
                session.appendCommit(1, nextDeadline: deadline)
                #expect(await session.awaitDurable() == nil)
            }
        }
        let moment = 1 << 52
        #expect(try await second.dueSessions(until: 10).map(\.id) == ["b"])
        #expect(try await second.idleSessions(before: moment) == ["d"])
        second.end("a", at: moment)
        #expect(try await second.found("a").word == "first:1")
        #expect(try await first.found("a").word == "session")
        await first.closed()
        #expect(try await second.dueSessions(until: 10).map(\.id).sorted() == ["a", "b"])
        #expect(try await second.idleSessions(before: moment).sorted() == ["c", "d"])
        await second.closed()
    }

    @Test("find the idle sessions that stand behind those with timers, in a later search")
    func idleBehindTimers() async throws {
        let server = try RedisServer()
        let moment = 1 << 52
        let journal = try server.open(now: { moment })
        for number in 0..<8 {
            let session = journal.create(Step.session("s\(number)"))
            session.appendCommit(1, nextDeadline: number < 6 ? 5 : nil)
            #expect(await session.awaitDurable() == nil)
        }
        try await eventually { Set(try await journal.idleSessions(before: moment, limit: 2)) == ["s6", "s7"] }
        await journal.closed()
    }

    @Test("find the unused sessions that are free or their own, and wait for those of other nodes")
    func unusedOfOthers() async throws {
        let server = try RedisServer()
        let first = try server.open(node: "first:1", lease: .seconds(60))
        let second = try server.open(node: "second:1", lease: .seconds(60))
        let sessions = [first.create(Step.session("a")), second.create(Step.session("b"))]
        for session in sessions { #expect(await session.awaitDurable() == nil) }
        let moment = Step.moment + 1
        let found = try await second.unusedSessions(before: moment)
        #expect(found.sessions.map(\.id) == ["b"])
        second.endUnused("b", createdAt: Step.moment, at: moment)
        #expect(try await second.unusedSessions(before: moment) == UnusedSessions([], next: Step.moment))
        await first.closed()
        #expect(try await second.unusedSessions(before: moment).sessions.map(\.id) == ["a"])
        await second.closed()
    }

    @Test("remove what the lists have of sessions that do not exist, unless they are new")
    func unindexed() async throws {
        let server = try RedisServer()
        let node = try server.open()
        for (hash, age) in [("old", 4_000_000), ("new", 1000)] {
            for list in ["used", "ids", "due"] {
                try server.execute("ZADD", "{test}:\(list)", "\(Step.moment - age)", hash)
            }
        }
        #expect(try await node.idleSessions(before: Step.moment).isEmpty)
        for list in ["used", "ids", "due"] {
            try await eventually { try server.execute("ZRANGE", "{test}:\(list)", "0", "-1") == ["new"] }
        }
        #expect(try await node.unusedSessions(before: Step.moment).sessions.isEmpty)
        #expect(try await node.listed().isEmpty)
        #expect(try await node.dueSessions(until: Step.moment).isEmpty)
        await node.closed()
    }

    @Test("end a session that seems unused only if no node has used it")
    func unused() async throws {
        let server = try RedisServer()
        let first = try server.open(node: "first:1")
        let created = Step.session().createdAt
        let names = ["unused", "read", "changed"]
        let sessions = names.map { first.create(Step.session($0)) }
        sessions[2].appendCommit(1, nextDeadline: nil)
        for session in sessions { #expect(await session.awaitDurable() == nil) }
        sessions[1].recordUse(at: created + 1, every: 60_000)
        await first.closed()
        let second = try server.open(node: "second:1")
        for name in names { second.endUnused(name, createdAt: created, at: Step.moment) }
        for (name, word) in zip(names, ["ended", "session", "session"]) {
            #expect(try await second.found(name).word == word)
        }
        await second.closed()
    }

    @Test("leave out the sessions of a list whose records are damaged, and list all others", arguments: 1...7)
    func damaged(limit: Int) async throws {
        let server = try RedisServer()
        let node = try server.open()
        let intact = (0..<6).map { "intact \($0)" }
        // A damaged time of the last use is replaced by that of the index.
        let damage = [
            "intact 0": ["used", "never"], "no header": ["header", "damaged"], "no revision": ["revision", "none"],
            "no state": ["initial", "{test}:nowhere"], "no id": ["id", "damaged"],
        ]
        var known: Set<String> = []
        for name in Set(intact + damage.keys) {
            let session = node.create(Step.session(name, owner: "ada"))
            #expect(await session.awaitDurable() == nil)
            let keys = Set(try server.execute("KEYS", "{test}:s:*"))
            for key in keys.subtracting(known) {
                if let damage = damage[name] { try server.execute(["HSET", key] + damage) }
            }
            known = keys
        }
        func pages(_ read: (String?) async throws -> [SessionSummary]) async throws -> [String] {
            var (found, last): ([String], String?) = ([], nil)
            repeat {
                let page = try await read(last)
                found += page.map(\.header.id)
                last = page.count == limit ? page.last?.header.id : nil
            } while last != nil
            return found.sorted()
        }
        #expect(try await pages { try await node.listed(after: $0, limit: limit) } == intact)
        #expect(
            try await pages { try await node.sessions(of: "ada", as: .owner, after: $0, limit: limit) } == intact)
        await node.closed()
    }

    @Test("show in a list which of them has each session")
    func ownersInLists() async throws {
        let server = try RedisServer()
        let first = try server.open(node: "first:1", lease: .seconds(60))
        let second = try server.open(node: "second:1", lease: .seconds(60))
        let free = first.create(Step.session("free"))
        for session in [first.create(Step.session("a")), second.create(Step.session("b")), free] {
            #expect(await session.awaitDurable() == nil)
        }
        #expect(await free.awaitRelease() == nil)
        for node in [first, second] {
            let listed = try await node.listed()
            let owners = Dictionary(uniqueKeysWithValues: listed.map { ($0.header.id, $0.node) })
            #expect(owners == ["a": "first:1", "b": "second:1", "free": nil])
        }
        await first.closed()
        #expect(try await second.listed().first { $0.header.id == "a" }?.node == nil)
        await second.closed()
    }
}
