import Foundation
import JSON
import Journal
import Locks
import StoreHosting
import Stores
import Testing

/// The guarantees of every journal that outlives its process.
@Suite("A durable journal")
struct DurableJournalTests {
    @Test(
        "finds sessions as they were left, in a storage that was closed and in one that was not",
        arguments: DurableStorage.allCases, [true, false])
    func reopening(kind: DurableStorage, closes: Bool) async throws {
        let storage = try kind.make()
        for opened in 0..<3 {
            let journal = try await storage.openedJournal()
            let session: any SessionJournal
            if opened == 0 {
                session = journal.create(Step.session())
            } else {
                let found = try await journal.session("session")
                #expect(found.summary.revision == opened * 100 && found.replayable.count == opened * 100)
                #expect(found.summary.header == Step.session())
                session = found.journal
            }
            Step.store(session, from: opened * 100).step(100)
            #expect(await session.awaitDurable() == nil)
            if closes { await journal.closed() }
        }
        let journal = try await storage.openedJournal()
        #expect(journal.sessionCount == 1)
        let found = try await journal.session("session")
        #expect(found.replayable.count == 300)
        #expect(try await found.journal.commits(after: 0)?.map(\.revision) == Array(1...300))
        await journal.closed()
    }

    @Test(
        "tells a subject that a session belongs to another one, and leaves the session as it is",
        arguments: DurableStorage.allCases)
    func foreignSessions(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try await storage.openedJournal()
        for (id, owner) in [("a", "ada"), ("b", nil), ("c", "ada")] {
            let session = journal.create(Step.session(id, owner: owner))
            Step.store(session).step(3)
            if id == "c" { session.end(at: Step.moment) }
            #expect(await session.awaitDurable() == nil)
        }
        await journal.closed()
        let again = try await storage.openedJournal()
        for (id, owner) in [("a", "ada"), ("b", nil)] as [(String, Subject?)] {
            guard case .foreign(owner, "steps") = try await again.load(id, for: "bob") else {
                Issue.record("\(id) is found")
                continue
            }
        }
        #expect(try await again.load("c", for: "bob").word == "ended")
        #expect(try await again.load("d", for: "bob").word == "unknown")
        #expect(try await again.load("a", for: "ada").word == "session")
        #expect(try await again.load("b").word == "session")
        await again.closed()
    }

    @Test(
        "returns long commits in portions, so that many readers need little memory", arguments: DurableStorage.allCases)
    func portions(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try await storage.openedJournal()
        let session = journal.create(Step.session())
        let store = Step.kind.makeStore()
        for revision in 1...12 {
            store.step()
            let commit = CommitRecord(
                revision: revision, type: "step", payload: ["text": .string(String(repeating: "a", count: 400_000))],
                origin: .client, cause: nil, committedAt: Step.moment, changes: EncodedPatch())
            store.inspect { session.append(CommitTransaction(baseRevision: revision - 1, commits: [commit]), $0) }
        }
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        let again = try await storage.openedJournal()
        let found = try await again.session("session").journal
        let portion = try #require(try await found.commits(after: 0, limit: 12))
        #expect((1...6).contains(portion.count))
        #expect(try await found.commits(after: 0)?.map(\.revision) == Array(1...12))
        #expect(try await found.commits(after: 12, limit: 12)?.isEmpty == true)
        await again.closed()
    }

    @Test(
        "knows no session that was never begun, and tells one that ended from it", arguments: DurableStorage.allCases,
        [true, false])
    func ended(kind: DurableStorage, isHeld: Bool) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        #expect(try await journal.found("session").word == "unknown")
        let session = journal.create(Step.session())
        Step.store(session).step(3)
        if isHeld { session.end(at: Step.moment) } else { journal.end("session", at: Step.moment) }
        #expect(try await journal.found("session").word == "ended")
        #expect(journal.sessionCount == 0)
        await journal.closed()
        let later = try storage.openJournal()
        #expect(try await later.found("session").word == "ended")
        await later.closed()
    }

    @Test(
        "calls the observer of transactions as directly after many of them as after one",
        arguments: DurableStorage.allCases)
    func observer(kind: DurableStorage) async throws {
        let journal = try kind.make().openJournal()
        let depths = Locked<[Int]>([])
        journal.observeTransactions { _ in
            let depth = Thread.callStackReturnAddresses.count
            depths.withLock { $0.append(depth) }
        }
        let session = journal.create(Step.session())
        let store = Step.store(session)
        for _ in 0..<100 {
            store.step()
            #expect(await session.awaitDurable() == nil)
        }
        let found = depths.withLock(\.self)
        let (least, most) = (try #require(found.min()), try #require(found.max()))
        #expect(found.count > 50 && most < least + 20)
        await journal.closed()
    }

    @Test("persists a batch and the response to it in one transaction", arguments: DurableStorage.allCases)
    func transactions(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        let session = journal.create(Step.session())
        let store = Step.store(session)
        let batch: JSONValue = [["type": "step"], ["type": "step"], ["type": "step"]]
        let answer = IdempotencyRecord(key: "k", fingerprint: .max, response: [1, 2, 3], at: Step.moment)
        var options = DispatchOptions()
        options.record = { _ in .answer(answer) }
        store.dispatch(batch, options) { _ in }
        store.dispatch(batch, DispatchOptions()) { _ in }
        #expect(await session.awaitDurable() == nil)
        let found = try await journal.session("session")
        #expect(found.summary.revision == 6 && found.answers == [answer] && found.replayable.count == 6)
    }

    @Test(
        "lists sessions by their next timer, also after they were loaded and deleted",
        arguments: DurableStorage.allCases)
    func listsDueSessions(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        for (number, deadlines) in [[30, 10], [10], [20, nil], [], [40]].enumerated() {
            let session = journal.create(Step.session("s\(number)"))
            for (index, deadline) in deadlines.enumerated() { session.appendCommit(index + 1, nextDeadline: deadline) }
            #expect(await session.awaitDurable() == nil)
        }
        let due = try await journal.dueSessions(until: 35)
        // Sessions with one deadline come in an order of the storage.
        #expect(due.map(\.deadline) == [10, 10] && Set(due.map(\.id)) == ["s0", "s1"])
        #expect(try await journal.dueSessions(until: 40) == due + [DueSession(id: "s4", deadline: 40)])
        #expect(try await journal.dueSessions(until: 40, limit: 1) == [due[0]])
        #expect(try await journal.dueSessions(after: due[0], until: 40, limit: 1) == [due[1]])
        #expect(try await journal.dueSessions(after: due[1], until: 40).map(\.id) == ["s4"])
        #expect(try await journal.dueSessions(until: 9).isEmpty)
        let found = try await journal.session("s1").journal
        found.appendCommit(2, nextDeadline: nil)
        #expect(await found.awaitDurable() == nil)
        journal.end("s0", at: Step.moment)
        #expect(try await journal.found("s0").word == "ended")
        #expect(try await journal.dueSessions(until: .max).map(\.id) == ["s4"])
        await journal.closed()
        #expect(try storage.problems().isEmpty)
    }

    @Test(
        "records a reference of the session time unless other processes have one too",
        arguments: DurableStorage.allCases)
    func recordsTime(kind: DurableStorage) async throws {
        let storage = try kind.make()
        var known: SessionTimeReference?
        for boot in [nil, UInt64.max, 1] {
            let journal = try storage.openJournal()
            #expect(journal.timeReference == known)
            let next = SessionTimeReference(time: 1, steady: 2, wall: 3, boot: boot)
            journal.record(next)
            known = journal.isShared ? nil : next
            await journal.closed()
        }
    }

    @Test("lists sessions and idle sessions by their last use", arguments: DurableStorage.allCases)
    func listsIdleSessions(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        for number in 0..<5 {
            let session = journal.create(Step.session("s\(number)"))
            session.recordUse(at: Step.moment + 1, every: 60_000)
            if number == 4 { journal.end("s4", at: Step.moment) }
            await session.awaitDurable()
            session.recordUse(at: Step.moment + number * 100_000, every: 60_000)
        }
        await journal.closed()
        let again = try storage.openJournal()
        #expect(again.sessionCount == 4)
        // The order is that of the storage, and pages follow it.
        let listed = try await again.listed()
        #expect(listed.map(\.header).sorted { $0.id < $1.id } == ["s0", "s1", "s2", "s3"].map { Step.session($0) })
        #expect(try await again.listed(after: listed[1].header.id, limit: 1) == [listed[2]])
        #expect(try await again.idleSessions(before: Step.moment + 150_000) == ["s0", "s1"])
        #expect(try await again.idleSessions(before: Step.moment + 150_000, limit: 1) == ["s0"])
    }

    @Test("takes a session with a timer that is to fire as used", arguments: DurableStorage.allCases)
    func timersCountAsUse(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        // One that is overdue is still to fire; the last session has none any more.
        for (name, deadlines) in [("overdue", [1]), ("later", [1 << 45]), ("plain", []), ("fired", [1 << 45, nil])] {
            let session = journal.create(Step.session(name))
            for (index, deadline) in deadlines.enumerated() { session.appendCommit(index + 1, nextDeadline: deadline) }
            #expect(await session.awaitDurable() == nil)
        }
        await journal.closed()
        let again = try storage.openJournal()
        // On Redis the limit is that of the sessions that a search looks at.
        let limit = kind == .redis ? 4 : 2
        #expect(Set(try await again.idleSessions(before: 1 << 52, limit: limit)) == ["plain", "fired"])
        let deadlines = Dictionary(
            uniqueKeysWithValues: try await again.listed().map { ($0.header.id, $0.nextDeadline) })
        #expect(deadlines == ["overdue": 1, "later": 1 << 45, "plain": nil, "fired": nil])
        for (name, deadline) in deadlines {
            #expect(try await again.session(name).summary.nextDeadline == deadline)
        }
        await again.closed()
    }

    @Test("takes the last use at most once an interval", arguments: DurableStorage.allCases)
    func recordsUsesAtIntervals(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        let session = journal.create(Step.session())
        await session.awaitDurable()
        for (offset, interval) in [(1, 60_000), (30_000, 60_000), (40_000, 0), (50_000, 20_000)] {
            session.recordUse(at: Step.moment + offset, every: interval)
        }
        await journal.closed()
        let again = try storage.openJournal()
        #expect(try await again.idleSessions(before: Step.moment + 40_000).isEmpty)
        #expect(try await again.idleSessions(before: Step.moment + 40_001) == ["session"])
    }

    @Test("finds the sessions that were never used, each of them once", arguments: DurableStorage.allCases)
    func findsUnusedSessions(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        for number in 0..<6 {
            let createdAt = Step.moment + number * 10
            let session = journal.create(Step.session("s\(number)", createdAt: createdAt))
            if number == 2 { session.appendCommit(1, nextDeadline: nil) }
            await session.awaitDurable()
            if number == 1 { session.recordUse(at: createdAt + 1, every: 60_000) }
        }
        await journal.closed()
        let again = try storage.openJournal()
        let limit = Step.moment + 50
        let found = try await again.unusedSessions(before: limit)
        #expect(found.sessions.map(\.id) == ["s0", "s3", "s4"])
        #expect(found.sessions.map(\.createdAt) == [0, 30, 40].map { Step.moment + $0 })
        // They are found again as long as they are not ended.
        #expect(found.next == Step.moment)
        #expect(try await again.unusedSessions(from: found.next, before: limit) == found)
        #expect(try await again.unusedSessions(from: Step.moment + 31, before: limit).sessions.map(\.id) == ["s4"])

        var (start, ended, searches) = (0, [String](), 0)
        while start < limit, searches < 10 {
            let page = try await again.unusedSessions(from: start, before: limit, limit: 2)
            for session in page.sessions {
                again.endUnused(session.id, createdAt: session.createdAt, at: Step.moment)
                ended.append(session.id)
            }
            start = page.next
            searches += 1
        }
        #expect(start == limit && ended == ["s0", "s3", "s4"])
        for (id, word) in ["s0": "ended", "s1": "session", "s2": "session", "s4": "ended", "s5": "session"] {
            #expect(try await again.found(id).word == word)
        }
        await again.closed()
    }
    @Test("outlive the process, in the rows, in lists and of ended sessions", arguments: DurableStorage.allCases)
    func outliveProcess(kind: DurableStorage) async throws {
        let storage = try kind.make()
        var journal = try storage.openJournal()
        let session = journal.create(Parcel.session("a", "al\u{ed}ce"))
        let store = Parcel.store(session)
        store.weigh(3)
        session.record(.revokedAll(generation: 1, []))
        store.weigh()
        session.record(.revokedAll(generation: 2, []))
        #expect(await session.awaitDurable() == nil)
        journal.create(Parcel.session("b", "bob")).end(at: Step.moment)
        await journal.closed()

        journal = try storage.openJournal()
        let found = try await journal.session("a")
        #expect(found.summary.header.owner == "al\u{ed}ce" && !found.summary.header.isPersonal)
        #expect(found.summary.shareGeneration == 2 && found.summary.revision == 4)
        let listed = try await journal.listed()
        #expect(listed.map(\.header.owner) == ["al\u{ed}ce"] && listed.map(\.shareGeneration) == [2])
        guard case .ended(owner: "bob") = try await journal.found("b") else { throw Missing(id: "b") }
        // Every statement that changes the row keeps its checksum right.
        try Parcel.store(Parcel.first, found).weigh()
        found.journal.recordUse(at: Step.moment + 120_000, every: 60_000)
        #expect(await found.journal.awaitDurable() == nil)
        await journal.closed()
        #expect(try storage.problems().isEmpty)
    }

    @Test(
        "The personal session of an owner and kind is found until it ends, and there is only one",
        arguments: DurableStorage.allCases)
    func personalSession(kind: DurableStorage) async throws {
        let storage = try kind.make()
        var journal = try storage.openJournal()
        await journal.create(Parcel.session("other", "alice")).awaitDurable()
        #expect(try await journal.personalSession(of: "alice", kind: "parcels") == nil)
        let session = journal.create(Parcel.session("mine", "alice", isPersonal: true))
        #expect(try await journal.personalSession(of: "alice", kind: "parcels") == "mine")
        #expect(try await journal.personalSession(of: "alice", kind: "steps") == nil)
        #expect(try await journal.personalSession(of: "bob", kind: "parcels") == nil)
        #expect(await journal.create(Parcel.session("second", "alice", isPersonal: true)).awaitDurable() == .conflict)
        await journal.closed()

        journal = try storage.openJournal()
        #expect(try await journal.personalSession(of: "alice", kind: "parcels") == "mine")
        journal.end("mine", at: Step.moment)
        #expect(try await journal.personalSession(of: "alice", kind: "parcels") == nil)
        #expect(await journal.create(Parcel.session("second", "alice", isPersonal: true)).awaitDurable() == nil)
        #expect(try await journal.personalSession(of: "alice", kind: "parcels") == "second")
        _ = session
        await journal.closed()
        #expect(try storage.problems().isEmpty)
    }
}
