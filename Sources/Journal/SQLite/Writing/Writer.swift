import Dispatch
import Locks
import StoreHosting
import Stores
import Synchronization

/// Writes what all sessions give it, in that order, on a thread of its own.
///
/// Everything that waits when it comes to it is written in one transaction with one sync.
final class Writer: Sendable {
    fileprivate struct Inbox {
        var orders: [WriteCommand] = []
        var byteCount = 0
        /// When sessions were used, by their numbers; to be written when there is time.
        var uses: [Int: Int] = [:]
        /// Whether the queue has been asked to look here.
        var isAwake = false
        var isClosed = false
        /// How many pieces of what can wait are done before the file is let go of: nobody should wait long for that.
        var lastPieces = 100
    }

    /// A transaction takes so much at most, so that nobody waits for others for long.
    private static let mostOrders = 2048
    private static let mostBytes = 4 << 20
    /// What may wait for a slow disk before nothing new should be begun.
    private static let mostWaiting = 64 << 20

    let acknowledgesOnEnqueue: Bool
    let readers: Readers
    private let checkpointer: Checkpointer
    let recentCommits = RecentCommitsBudget()
    private let report: @Sendable (StorageEvent) -> Void
    private let queue = DispatchQueue(label: "journal.writer")
    // Guards what waits. Taken inside sessions' locks; nothing is locked in it.
    private let inbox = Locked(Inbox())
    // Guards the database connection, which only the queue uses: nobody ever waits for it. Sessions' locks are taken in it.
    private let database: Locked<WriteConnection?>
    private let isFailing = Atomic(false)
    private let waitingBytes = Atomic(0)
    private let live: Atomic<Int>
    private let transactions = Atomic(0)

    init(
        _ database: sending WriteConnection, _ readers: Readers, _ checkpointer: Checkpointer,
        acknowledgesOnEnqueue: Bool,
        _ report: @escaping @Sendable (StorageEvent) -> Void
    ) {
        live = Atomic(database.liveSessions)
        self.database = Locked(database)
        self.readers = readers
        self.checkpointer = checkpointer
        self.acknowledgesOnEnqueue = acknowledgesOnEnqueue
        self.report = report
    }

    var isAvailable: Bool {
        !isFailing.load(ordering: .relaxed) && waitingBytes.load(ordering: .relaxed) < Self.mostWaiting
    }

    /// How many sessions there are that have not ended.
    var sessionCount: Int { live.load(ordering: .relaxed) }

    var transactionCount: Int { transactions.load(ordering: .relaxed) }

    func enqueue(_ order: WriteCommand) {
        if case .create = order { live.add(1, ordering: .relaxed) }
        let isFirst = inbox.withLock { inbox in
            inbox.orders.append(order)
            inbox.byteCount += order.byteCount
            waitingBytes.store(inbox.byteCount, ordering: .relaxed)
            defer { inbox.isAwake = true }
            return !inbox.isAwake
        }
        if isFirst { queue.async { self.work() } }
    }

    /// Notes when a session was used, which is written when there is time.
    func recordUse(_ moment: Int, of number: Int) {
        inbox.withLock { $0.uses[number] = moment }
    }

    /// Calls back when all that was given so far is written, or is known not to be.
    func afterAll(_ done: @escaping @Sendable () -> Void) {
        guard inbox.withLock(\.isAwake) else { return done() }
        enqueue(.barrier(done))
    }

    /// Looks now and then whether something old can go.
    func keepHouse(every interval: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
            guard let self, !inbox.withLock(\.isClosed) else { return }
            enqueue(.barrier { [weak self] in self?.keepLogShort(isTime: true) })
            keepHouse(every: interval)
        }
    }

    /// Writes what waits, and lets go of the file.
    func close(done: @escaping @Sendable () -> Void) {
        enqueue(
            .barrier { [self] in
                inbox.withLock { $0.isClosed = true }
                queue.async { [self] in
                    checkpointer.close()
                    let uses = inbox.withLock { $0.takeUses() }
                    database.withLock { database in
                        database?.recordUses(uses)
                        database?.close()
                        database = nil
                    }
                    readers.close()
                    done()
                }
            })
    }
}

extension Writer {
    /// Writes until nothing waits, and tidies up while that is so.
    private func work() {
        while true {
            let orders = inbox.withLock { inbox in
                let orders = inbox.takeOrders(Self.mostOrders, Self.mostBytes)
                waitingBytes.store(inbox.byteCount, ordering: .relaxed)
                return orders
            }
            if !orders.isEmpty {
                write(orders)
                continue
            }
            if keepHouse() { continue }
            let isIdle = inbox.withLock { inbox in
                guard inbox.orders.isEmpty else { return false }
                inbox.isAwake = false
                return true
            }
            if isIdle { return }
        }
    }

    private func write(_ orders: [WriteCommand]) {
        let written = database.withLock { database in
            guard database != nil else { return WriteResult(orders, failure: .unavailable("the journal is closed")) }
            return database?.write(orders) ?? WriteResult(orders, failure: .unavailable("the journal is closed"))
        }
        live.add(written.liveChange, ordering: .relaxed)
        if let failure = written.diskFailure { fail(failure) } else if written.hasWritten { hasWritten() }
        for call in written.acknowledge(orders) { call() }
        keepLogShort(isTime: false)
    }

    private func keepLogShort(isTime: Bool) {
        guard database.withLock({ $0?.needsCheckpoint(isPeriodic: isTime) ?? false }) else { return }
        checkpointer.begin { [self] in
            guard !inbox.withLock(\.isClosed) else { return }
            enqueue(.barrier { [self] in endLog() })
        }
    }

    private func endLog() {
        database.withLock { $0?.finishCheckpoint() }
        checkpointer.end()
    }

    private func fail(_ failure: String) {
        guard !isFailing.exchange(true, ordering: .relaxed) else { return }
        report(.failed(failure))
        probeLater()
    }

    private func hasWritten() {
        transactions.add(1, ordering: .relaxed)
        recover()
    }

    private func recover() {
        guard isFailing.exchange(false, ordering: .relaxed) else { return }
        report(.recovered)
    }

    /// Tries to write something small now and then, until that works.
    private func probeLater() {
        queue.asyncAfter(deadline: .now() + .milliseconds(250)) { [weak self] in
            guard let self, isFailing.load(ordering: .relaxed) else { return }
            let works = database.withLock { $0?.probe() }
            switch works {
            case true: recover()
            case false: probeLater()
            case nil: break
            }
        }
    }

    /// Does a small piece of what can wait. False where there is none, or it does not work now.
    private func keepHouse() -> Bool {
        guard !isFailing.load(ordering: .relaxed) else { return false }
        let uses: [Int: Int]? = inbox.withLock { inbox in
            if inbox.isClosed { inbox.lastPieces -= 1 }
            return inbox.lastPieces > 0 ? inbox.takeUses() : nil
        }
        guard let uses else { return false }
        return database.withLock { database in
            guard database != nil else { return false }
            database?.recordUses(uses)
            return database?.runMaintenance() ?? false
        }
    }
}

extension Writer.Inbox {
    fileprivate mutating func takeOrders(_ most: Int, _ mostBytes: Int) -> [WriteCommand] {
        var count = 0
        var bytes = 0
        while count < min(orders.count, most), bytes < mostBytes {
            bytes += orders[count].byteCount
            count += 1
        }
        byteCount -= bytes
        guard count < orders.count else {
            defer { orders = [] }
            return orders
        }
        defer { orders.removeFirst(count) }
        return Array(orders.prefix(count))
    }

    fileprivate mutating func takeUses() -> [Int: Int] {
        defer { uses = [:] }
        return uses
    }
}
