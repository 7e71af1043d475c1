import Foundation
import JSON
import Journal
import Locks
import RedisJournal
import RedisTesting
import StoreHosting
import Stores
import Testing
import Threads

@Suite("Maintenance of sessions on Redis")
struct RedisStorageTests {
    /// A server with a session of so many commits, whose oldest may be deleted.
    private func server(_ commits: Int, keepCommits: Int = 1000) async throws -> RedisServer {
        let server = try RedisServer()
        let journal = try server.open(keepCommits: keepCommits)
        let session = journal.create(Parcel.session("parcel-0123456789abcdef"))
        let store = Parcel.store(session)
        // Old commits are deleted when it is time to look, not at each commit.
        for _ in 0..<5 {
            store.weigh(commits / 5)
            #expect(await session.awaitDurable() == nil)
        }
        await journal.closed()
        return server
    }

    @Test("Sound sessions are verified, and damaged ones are named", arguments: [100, 64])
    func verify(keepCommits: Int) async throws {
        let server = try await server(500, keepCommits: keepCommits)
        let found = try server.reading { try $0.verify() }
        #expect(found.problems.isEmpty && found.sessions == 1 && found.commits > 60 && found.commits <= 500)
        let key = try #require(try server.execute("KEYS", "{test}:s:*").first)
        try server.execute("HSET", key, "c498", "damaged")
        let damaged = try server.reading { try $0.verify() }
        #expect(damaged.damagedSessions == 1 && damaged.problems.count == 1)
        #expect(damaged.problems[0].contains("parcel-0123456789abcdef"))
        let listed = try server.reading { storage in
            var listed: [SQLiteStorage.ListedSession] = []
            try storage.listSessions { listed.append($0) }
            return listed
        }
        #expect(listed.map(\.id) == ["parcel-0123456789abcdef"] && listed[0].damage != nil)
        #expect(throws: StorageError.self) { try server.reading { try $0.export("parcel-0123456789abcdef") } }
        try server.reading(isReader: false) { try $0.deleteSession("parcel-0123456789abcdef") }
        #expect(try server.problems().isEmpty)
        let journal = try server.open()
        #expect(try await journal.found("parcel-0123456789abcdef").word == "ended")
        await journal.closed()
    }

    @Test("A session moves from Redis to a file and back", arguments: [1000, 64])
    func moves(keepCommits: Int) async throws {
        let server = try await server(500, keepCommits: keepCommits)
        let document = try server.reading { try $0.export("parcel-0123456789abcdef") }
        let file = try JournalFile()
        _ = try SQLiteStorage.insert(document, into: file.path, as: "copy")
        #expect(try file.problems().isEmpty)
        let copied = try SQLiteStorage.export("copy", from: file.path)
        let target = try RedisServer()
        await (try target.open()).closed()
        try target.reading(isReader: false) { storage in
            let added = try storage.insert(copied, as: nil)
            #expect(added == "copy")
            #expect(throws: StorageError.self) { try storage.insert(copied, as: nil) }
            #expect(throws: StorageError.self) { try storage.insert(Array("{}".utf8), as: nil) }
        }
        #expect(try target.problems().isEmpty)
        #expect(try withoutHistory(target.reading { try $0.export("copy") }) == withoutHistory(copied))
        let journal = try target.open()
        let found = try await journal.session("copy")
        #expect(found.replayable.count == 500 && found.summary.revision == 500)
        // The exported session may have gone on to other states with the same revisions.
        let documents = try [document, copied].map { try JSONValue(parsing: $0)["history"]?.asString }
        #expect(!documents.contains(found.summary.header.historyID) && documents[0] != documents[1])
        try Parcel.store(Parcel.first, found).weigh(3)
        #expect(await found.journal.awaitDurable() == nil)
        #expect(throws: StorageError.self) { try target.reading(isReader: false) { try $0.deleteSession("copy") } }
        await journal.closed()
        #expect(try target.problems().isEmpty)
    }

    @Test("A change after a restart of Redis leaves the histories as they are")
    func restart() async throws {
        let server = try await server(5)
        let document = try server.reading { try $0.export("parcel-0123456789abcdef") }
        server.kill()
        try server.start()
        let added = try server.reading(isReader: false) { try $0.insert(document, as: "copy") }
        #expect(added == "copy")
        let journal = try server.open()
        #expect(try await journal.session("parcel-0123456789abcdef").summary.header.historyID == "h")
        await journal.closed()
    }

    @Test("A backup that is put back while no server runs gets a new history each time")
    func restoredBackup() async throws {
        let server = try await server(5)
        var histories: Set = ["h"]
        for round in 1...3 {
            // The facts of the storage are as they were at the backup.
            try server.execute("HDEL", "{test}:meta", "losses")
            #expect(try server.reading(isReader: false) { try $0.renameHistories() } == round)
            #expect(try server.problems().isEmpty)
            let journal = try server.open()
            let history = try await journal.session("parcel-0123456789abcdef").summary.header.historyID
            #expect(history.hasPrefix("h.") && histories.insert(history).inserted)
            await journal.create(Parcel.session("later \(round)")).awaitDurable()
            #expect(try await journal.session("later \(round)").summary.header.historyID == "h")
            #expect(throws: StorageError.self) { try server.reading(isReader: false) { try $0.renameHistories() } }
            await journal.closed()
        }
    }

    @Test("Sessions are verified and exported while a server compacts and ends them")
    func besideServer() async throws {
        let server = try RedisServer()
        let journal = try server.open(keepCommits: 1)
        let isOver = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    var count = 0
                    while !isOver.withLock(\.self) {
                        let session = journal.create(Parcel.session("parcel-\(writer)-\(count)"))
                        let store = Parcel.store(session)
                        for _ in 0..<10 {
                            store.weigh(10)
                            #expect(await session.awaitDurable() == nil)
                        }
                        session.end(at: Step.moment)
                        count += 1
                    }
                }
            }
            // Also if a reader fails, else the writers would go on for ever.
            defer { isOver.withLock { $0 = true } }
            var commits = 0
            while commits < 2000 {
                let found = try server.reading { try $0.verify() }
                #expect(found.problems.isEmpty)
                commits += found.commits
                await Task.yield()
            }
        }
        await journal.closed()
        #expect(try server.problems().isEmpty)
    }
}
