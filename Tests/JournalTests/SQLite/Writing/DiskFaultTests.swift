import CFaultyDisk
import Dispatch
import Journal
import Locks
import StoreHosting
import Stores
import Testing

@Suite("The SQLite journal on a disk that fails")
struct DiskFaultTests {
    static let kinds = [FAULTY_WRITE_IO, FAULTY_WRITE_SHORT, FAULTY_FULL, FAULTY_SYNC]

    @Test(
        "reports failed commits, preserves durable ones, and recovers with the disk",
        arguments: kinds.map(\.rawValue), [0, 1, 3])
    func recoversFromFaults(kind: UInt32, after good: Int) async throws {
        let (file, disk) = (try JournalFile(), try FaultyDisk())
        let (events, next) = AsyncStream.makeStream(of: StorageEvent.self)
        let journal = try file.open(vfs: disk.name, report: { next.yield($0) })
        let session = journal.create(Step.session())
        let other = journal.create(Step.session("other"))
        let store = Step.store(session)
        store.step(10)
        #expect(await session.awaitDurable() == nil)
        disk.fail(faulty_kind(kind), after: good)
        var (revision, failure) = (10, JournalError?.none)
        while failure == nil, revision < 100 {
            store.step()
            failure = await session.awaitDurable()
            if failure == nil { revision += 1 }
        }
        guard case .unavailable = failure else { throw Missing(id: "failure") }
        #expect(session.hasFailed && !session.isDurable && !journal.isAvailable)
        #expect(session.bufferedCommits(after: revision, limit: 10)?.isEmpty == true)
        store.step()
        #expect(await session.awaitDurable() == failure)
        var iterator = events.makeAsyncIterator()
        guard case .failed = await iterator.next() else { throw Missing(id: "event") }

        disk.heal()
        #expect(await iterator.next() == .recovered)
        #expect(journal.isAvailable)
        #expect(await session.awaitDurable() == failure)
        #expect(await other.awaitDurable() == nil)
        let found = try await journal.session("session")
        #expect(found.summary.revision == revision && found.replayable.count == revision)
        Step.store(found.journal, from: revision).step()
        Step.store(other).step()
        #expect(await found.journal.awaitDurable() == nil)
        #expect(await other.awaitDurable() == nil)
        let copy = try await file.copy().open().session("session")
        #expect(copy.replayable.count == revision + 1)
    }

    @Test("restarts the WAL when the disk has space again, even if it is only the WAL's own")
    func restartsWALAfterFullDisk() async throws {
        let (file, disk) = (try JournalFile(), try FaultyDisk())
        let (events, next) = AsyncStream.makeStream(of: StorageEvent.self)
        let journal = try file.open(vfs: disk.name, report: { next.yield($0) })
        let session = journal.create(Step.session())
        Step.store(session).step(20)
        #expect(await session.awaitDurable() == nil)
        let before = try file.logNumber()
        disk.fail(FAULTY_FULL)
        Step.store(session, from: 20).step()
        #expect(await session.awaitDurable() != nil)
        disk.heal()
        for await event in events where event == .recovered { break }
        await journal.create(Step.session("other")).awaitDurable()
        #expect(try file.logNumber() == before + 1)
        #expect(try await journal.session("session").replayable.count == 20)
    }

    @Test("commits fail while the disk fails, and earlier ones stay durable")
    func failsWhileDiskFails() async throws {
        let (file, disk) = (try JournalFile(), try FaultyDisk())
        let journal = try file.open(vfs: disk.name)
        let earlier = journal.create(Step.session("earlier"))
        let store = Step.store(earlier)
        store.step(3)
        #expect(await earlier.awaitDurable() == nil)
        disk.fail(FAULTY_FULL)
        store.step()
        #expect(await earlier.awaitDurable() != nil)
        // This one is not given to the storage any more.
        store.step()
        #expect(await earlier.awaitDurable(through: 3) == nil)
        for revision in [0, 4, 5] { #expect(await earlier.awaitDurable(through: revision) != nil) }
        let session = journal.create(Step.session())
        Step.store(session).step(5)
        #expect(await session.awaitDurable() != nil)
        guard case .unknown = try await journal.found("session") else { throw Missing(id: "nothing") }
        #expect(journal.sessionCount == 1)
    }

    @Test("commits all waiting transactions at once, in order")
    func groupsWaitingTransactions() async throws {
        let (file, disk) = (try JournalFile(), try FaultyDisk())
        let journal = try file.open(sorting: SortingPolicy(delay: .seconds(3600)), vfs: disk.name)
        let sessions = (0..<20).map { journal.create(Step.session("\($0)")) }
        for session in sessions { await session.awaitDurable() }
        let before = (disk.syncs, journal.transactionCount)
        let order = Locked<[Int]>([])
        disk.holding {
            for session in sessions {
                let store = Step.store(session)
                for revision in 1...10 {
                    store.step()
                    if session === sessions[0] { session.onceDurable { order.withLock { $0.append(revision) } } }
                }
            }
        }
        for session in sessions { #expect(await session.awaitDurable() == nil) }
        #expect(order.withLock(\.self) == Array(1...10))
        // Commits that came too late for the first transaction of the file wait for the second.
        #expect((1...2).contains(disk.syncs - before.0))
        #expect((1...2).contains(journal.transactionCount - before.1))
    }

    @Test(
        "waits for the disk where that is promised, and only for the writer where it is not", arguments: [true, false])
    func syncsDependOnDurability(isFull: Bool) async throws {
        let (file, disk) = (try JournalFile(), try FaultyDisk())
        let begin = ContinuousClock.now
        let journal = try file.open(isFull ? .full : .relaxed, vfs: disk.name)
        let session = journal.create(Step.session())
        try await eventually { journal.transactionCount == 1 }
        let before = disk.syncs
        disk.holding {
            Step.store(session).step()
            #expect(session.isDurable != isFull)
        }
        #expect(await session.awaitDurable() == nil)
        // Without that promise the writer waits for the disk a second later.
        let syncs = disk.syncs
        if isFull || ContinuousClock.now - begin < .seconds(1) { #expect((syncs > before) == isFull) }
        let found = try await journal.session("session")
        #expect(found.replayable.count == 1)
    }

    @Test("keeps its epoch if it was closed and has lost nothing")
    func epoch() async throws {
        let (file, disk) = (try JournalFile(), try FaultyDisk())
        let first = try file.open(.relaxed)
        let epoch = try #require(first.epoch)
        let session = first.create(Step.session())
        await session.awaitDurable()
        _ = try await first.session("session")
        let crashed = try file.copy()
        await first.closed()
        // A process with full durability in between loses nothing.
        let full = try file.open()
        #expect(full.epoch == nil)
        await full.closed()
        let second = try file.open(.relaxed, vfs: disk.name)
        #expect(second.epoch == epoch)
        #expect(try crashed.open(.relaxed).epoch != epoch)
        #expect(try file.copy().open(.relaxed).epoch != epoch)
        let lost = try await second.session("session").journal
        disk.fail(FAULTY_WRITE_IO)
        Step.store(lost).step()
        _ = try? await second.session("session")
        disk.heal()
        #expect(lost.hasFailed)
        await second.closed()
        let third = try file.open(.relaxed)
        #expect(third.epoch != epoch)
        await third.closed()
    }
}
