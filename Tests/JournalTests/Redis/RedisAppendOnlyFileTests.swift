import Foundation
import Journal
import RedisJournal
import RedisTesting
import StoreHosting
import Stores
import Testing

@Suite("The append-only file of Redis", .timeLimit(.minutes(5)))
struct RedisAppendOnlyFileTests {
    @Test("has no transactions but of new connections and of lists of subjects: Redis may execute a part of one")
    func transactions() async throws {
        let server = try RedisServer()
        let journal = try server.open(keepCommits: 64)
        for id in ["ended", "released", "personal"] {
            let session = journal.create(Step.session(id, owner: "alice", isPersonal: id == "personal"))
            let store = Step.store(session)
            store.step(10)
            appendEverything(to: session, after: 10)
            for change in ModelPermits.oneOfEach { session.record(change) }
            #expect(await session.awaitDurable() == nil)
        }
        let compacted = journal.create(Step.session("compacted"))
        for round in 0..<5 {
            Step.store(compacted, from: 100 * round).step(100)
            #expect(await compacted.awaitDurable() == nil)
        }
        #expect(try await compacted.oldestRevision() > 100)
        let ended = try await journal.session("ended").journal
        ended.end(at: Step.moment)
        #expect(await ended.awaitDurable() == nil)
        #expect(await (try journal.session("released")).journal.awaitRelease() == nil)
        #expect(try await journal.personalSession(of: "alice", kind: "steps") == "personal")
        await journal.closed()
        try server.reading(isReader: false) { storage in
            let document = try storage.export("compacted")
            _ = try storage.insert(document, as: "copy")
            try storage.deleteSession("copy")
        }
        var transaction: [[String]]?
        var (count, keys) = (0, Set<String>())
        var relations: [[String]] = []
        for command in try server.appended() {
            switch command[0] {
            case "MULTI": transaction = []
            case "EXEC":
                count += 1
                keys.formUnion((transaction ?? []).map { $0[1] })
                relations.append(
                    (transaction ?? []).map { $0[1] }.compactMap {
                        $0.hasPrefix("{test}:of:") ? "of" : $0.hasPrefix("{test}:has:") ? "has" : nil
                    })
                transaction = nil
            default: transaction?.append(command)
            }
        }
        // A part of a change of the lists of subjects does no harm.
        let others = keys.filter { !$0.hasPrefix("{test}:of:") && !$0.hasPrefix("{test}:has:") }
        #expect(count > 0 && others.isSubset(of: ["{test}:meta", "{test}:nodes", "{test}:ids"]))
        // The next load of the session compares its subjects with `:has:`, which must not be ahead of the lists.
        #expect(relations.contains { !$0.isEmpty } && relations.allSatisfy { $0.isEmpty || $0.first == "of" })
    }

    /// Appends a commit that sets a timer and has an idempotency record.
    private func appendEverything(to session: any SessionJournal, after revision: Int) {
        let store = Step.kind.makeStore()
        store.step(revision + 1)
        store.inspect { state in
            let answer = IdempotencyRecord(
                key: "k", fingerprint: 1, response: [1], revision: revision + 1, at: Step.moment)
            session.append(
                CommitTransaction(
                    baseRevision: revision, commits: state.commits, record: .answer(answer), nextDeadline: 5), state)
        }
    }

    /// The incomplete data that a kill may leave at the end of the file.
    enum Rest: CaseIterable {
        /// A part of a commit.
        case commit
        /// A part of another program's transaction, and of a command in it.
        case foreign
    }

    @Test(
        "may end anywhere: what is acknowledged later stays, and nothing comes twice", arguments: Rest.allCases, 0..<8)
    func tornEnd(_ rest: Rest, part: Int) async throws {
        let server = try RedisServer()
        let journal = try server.open(keepBytes: 1000)
        let session = journal.create(Step.session())
        Step.store(session).step(5)
        #expect(await session.awaitDurable() == nil)
        let start = try server.appendedBytes().count
        appendEverything(to: session, after: 5)
        #expect(await session.awaitDurable() == nil)
        let bytes = try server.appendedBytes()
        await journal.closed()
        server.kill()
        switch rest {
        case .commit: try server.replaceAppended(bytes[..<(start + 1 + (bytes.count - start - 2) * part / 8)])
        case .foreign:
            let foreign = "*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n*3\r\n$3\r\nSET\r\n$1\r\nb"
            try server.replaceAppended(bytes + foreign.utf8.dropLast(part))
        }
        var (revision, hasAnswer): (Int?, Bool?)
        for round in 0..<3 {
            try server.start()
            // The lease of the node holds.
            try server.execute("DEL", "{test}:nodes")
            let node = try server.open(node: "node:\(round)")
            let found = try await node.session("session")
            let newest = found.summary.revision
            #expect(revision.map { newest == $0 } ?? (rest == .commit ? 5...6 : 6...6).contains(newest))
            // The answer is stored if its commit is.
            hasAnswer = hasAnswer ?? (newest == 6)
            #expect(found.replayable.count == newest && found.answers.count == (hasAnswer == true ? 1 : 0))
            Step.store(found.journal, from: newest).step(2)
            #expect(await found.journal.awaitDurable() == nil)
            #expect(try server.problems().isEmpty)
            revision = newest + 2
            await node.closed()
            server.kill()
        }
    }
}

extension RedisServer {
    private func appendOnlyFile() throws -> URL {
        let files = try FileManager.default.contentsOfDirectory(
            at: directory.appending(path: "appendonlydir"), includingPropertiesForKeys: nil)
        guard let file = files.first(where: { $0.path.hasSuffix(".incr.aof") }) else { throw Missing(id: "file") }
        return file
    }

    fileprivate func appendedBytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: appendOnlyFile())) }

    fileprivate func replaceAppended(_ bytes: some Sequence<UInt8>) throws {
        try Data(bytes).write(to: appendOnlyFile())
    }

    /// The commands of the file.
    fileprivate func appended() throws -> [[String]] {
        var rest = try appendedBytes()[...]
        func line() -> String {
            let end = rest.firstIndex(of: 13) ?? rest.endIndex
            defer { rest = rest[end...].dropFirst(2) }
            return String(decoding: rest[..<end].dropFirst(), as: UTF8.self)
        }
        var commands: [[String]] = []
        while !rest.isEmpty {
            let count = Int(line()) ?? 0
            commands.append(
                (0..<count).map { _ in
                    let size = Int(line()) ?? 0
                    defer { rest = rest.dropFirst(size + 2) }
                    return String(decoding: rest.prefix(size), as: UTF8.self)
                })
        }
        return commands
    }
}
