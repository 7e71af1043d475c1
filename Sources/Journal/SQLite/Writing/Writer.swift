import Dispatch
import Locks
import StoreHosting
import Stores
import Synchronization

/// Executes the commands of all sessions, in order, on its own queue.
///
/// All waiting commands are written in one transaction with one sync (group commit).
final class Writer: Sendable {
    fileprivate struct Inbox {
        var queue = WriteQueue()
        /// The number of commands for which the queue waits; nil if it does not wait.
        var wantedCount: Int?
        var groupCommit = GroupCommit()
        /// The times of the last uses, by the numbers of the sessions. They are written between transactions.
        var lastUses: [Int: Int] = [:]
        /// The last uses that a transaction is writing now, by the numbers of the sessions.
        var usesInWriting: [Int: Int] = [:]
        /// Whether the queue has a job that will sort the commits.
        var willSort = false
        /// Whether the queue has a job that will drain the inbox.
        var isAwake = false
        /// Whether the queue has a job that will continue with large commands.
        var willGoOn = false
        var isClosed = false
        /// The number of maintenance steps that may still run once the writer is closed: closing must not take long.
        var stepsAfterClose = 100
    }

    /// The limits of one transaction. A command must not wait long for the commands before it.
    private static let maxCommands = 2048
    private static let maxBytes = 4 << 20
    /// The backlog, in bytes, above which the journal is unavailable for new work.
    private static let maxWaitingBytes = 64 << 20

    let acknowledgesOnEnqueue: Bool
    // Held as long as this may write, even if the journal is gone.
    private let lock: StorageLock
    private let watch: FileWatch
    let readers: Readers
    private let checkpointer: Checkpointer
    let recentCommits = RecentCommitsBudget()
    private let report: @Sendable (StorageEvent) -> Void
    private let queue = DispatchQueue(label: "journal.writer")
    // Guards the waiting commands. Taken inside the locks of sessions; no other lock is taken while it is held.
    private let inbox = Locked(Inbox())
    // Signalled when the commands are there for which the queue waits.
    private let arrival = DispatchSemaphore(value: 0)
    // Guards the database connection. Only the queue uses it, so it is never contended. Locks of sessions are taken
    // inside it.
    private let database: Locked<WriteConnection?>
    private let sortingPolicy: SortingPolicy
    private let isFailing = Atomic(false)
    /// Whether a command has ever failed.
    private let hasFailed = Atomic(false)
    private let waitingBytes = Atomic(0)
    private let live: Atomic<Int>
    private let transactions = Atomic(0)
    private let observer = DurationObserver()

    init(
        _ lock: StorageLock, _ watch: FileWatch, _ database: sending WriteConnection, _ readers: Readers,
        _ checkpointer: Checkpointer, acknowledgesOnEnqueue: Bool,
        _ report: @escaping @Sendable (StorageEvent) -> Void
    ) {
        self.lock = lock
        self.watch = watch
        live = Atomic(database.liveSessions)
        sortingPolicy = database.sortingPolicy
        self.database = Locked(database)
        self.readers = readers
        self.checkpointer = checkpointer
        self.acknowledgesOnEnqueue = acknowledgesOnEnqueue
        self.report = report
    }

    var isAvailable: Bool {
        isWritable && waitingBytes.load(ordering: .relaxed) < Self.maxWaitingBytes
    }

    /// The number of sessions that have not ended.
    var sessionCount: Int { live.load(ordering: .relaxed) }

    var transactionCount: Int { transactions.load(ordering: .relaxed) }

    func observeTransactions(_ observer: @escaping @Sendable (Duration) -> Void) {
        self.observer.set(observer)
    }

    /// - Parameter isOrdered: whether a barrier is for all commands before it, also for large ones that have to wait.
    func enqueue(_ command: WriteCommand, isOrdered: Bool = false) {
        if case .create = command { live.add(1, ordering: .relaxed) }
        let (isFirst, isAwaited) = inbox.withLock { inbox in
            inbox.queue.append(command, isOrdered: isOrdered)
            waitingBytes.store(inbox.queue.byteCount, ordering: .relaxed)
            defer { inbox.isAwake = true }
            return (!inbox.isAwake, inbox.endWait(with: command))
        }
        if isAwaited { arrival.signal() }
        if isFirst { queue.async { self.drain() } }
    }

    /// Records the time of a session's last use. It is written between transactions.
    func recordUse(_ moment: Int, of number: Int) {
        inbox.withLock { $0.lastUses[number] = moment }
    }

    /// The times of last uses that may not be written yet, by the numbers of the sessions.
    var pendingUses: [Int: Int] {
        inbox.withLock { $0.usesInWriting.merging($0.lastUses) { max($0, $1) } }
    }

    /// Returns when all enqueued commands have been executed or have failed.
    func afterAll() async {
        guard inbox.withLock({ $0.isAwake || !$0.queue.isEmpty }) else { return }
        await Promise.value { done in enqueue(.barrier { done(()) }, isOrdered: true) }
    }

    /// Returns when all commands that are enqueued for a session have been executed or have failed.
    func afterAll(of id: String) async {
        let (isAwake, isDelayed) = inbox.withLock { ($0.isAwake, $0.queue.hasDelayed(id)) }
        guard isAwake || isDelayed else { return }
        await Promise.value { done in enqueue(.barrier { done(()) }, isOrdered: isDelayed) }
    }

    /// Sorts the commits that an earlier process left behind.
    func sortAtStart() {
        guard database.withLock({ $0?.hasUnsorted == true }) else { return }
        enqueue(.barrier { [self] in beginSorting() })
    }

    /// Runs maintenance regularly.
    func scheduleMaintenance(every interval: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
            guard let self, !inbox.withLock(\.isClosed) else { return }
            enqueue(.barrier { [weak self] in self?.checkpointIfNeeded(isPeriodic: true) })
            scheduleMaintenance(every: interval)
        }
    }

    /// Notices that somebody has deleted, moved or replaced the files, also while nobody writes.
    func beginWatching(every interval: DispatchTimeInterval) {
        watch.begin(every: interval) { [weak self] loss in
            // The lock and the database are in their places, so the file can take what the WAL had, and the next process finds it.
            guard let self, loss.isOnlyLog else { return }
            enqueue(.barrier { [weak self] in self?.finishCheckpoint() })
        }
    }

    /// Executes the waiting commands and closes the file.
    ///
    /// - Parameter epoch: is stored for the next process, unless a command has failed; nil for none.
    func close(in epoch: Int?) async {
        inbox.withLock { $0.queue.end() }
        await Promise.value { done in
            let closing = WriteCommand.barrier { [self] in
                inbox.withLock { $0.isClosed = true }
                queue.async { [self] in
                    closeFiles(in: epoch)
                    done(())
                }
            }
            enqueue(closing, isOrdered: true)
        }
    }

    private func closeFiles(in epoch: Int?) {
        checkpointer.close()
        readers.close()
        // Another process may have the file, which must not get the pages of this one; or the WAL may have gaps.
        let isLost = watch.end().map { !$0.isOnlyLog } ?? false
        let lastUses = inbox.withLock { $0.takeLastUses() }
        // As the last connection, because SQLite checkpoints the WAL with that one.
        database.withLock { database in
            database?.recordUses(lastUses)
            if isLost { database?.leaveWAL() }
            if !isLost { database?.close(in: hasFailed.load(ordering: .relaxed) ? nil : epoch) }
            database = nil
        }
        // Now, since whoever waits may open the file again.
        lock.release()
    }
}

extension Writer {
    /// Executes commands until none waits, and runs maintenance in between.
    private func drain() {
        var transactionCount = 0
        while true {
            let start = ContinuousClock.now
            let (commands, isLarge) = inbox.withLock { inbox in
                defer { waitingBytes.store(inbox.queue.byteCount, ordering: .relaxed) }
                return inbox.queue.take(maxCount: Self.maxCommands, maxBytes: Self.maxBytes, start)
            }
            if !commands.isEmpty {
                write(commands, start)
                if isLarge { recordLarge(since: start) }
                transactionCount += 1
                // Maintenance must continue if commits never cease.
                if transactionCount.isMultiple(of: 16) { _ = runMaintenance(isIdle: false) }
                // Without a sync, waiting would only delay what a kill of the process loses.
                if !acknowledgesOnEnqueue { awaitCommands(after: commands) }
                continue
            }
            if runMaintenance(isIdle: true) {
                checkpointIfNeeded(isPeriodic: false)
                continue
            }
            if rest() { return }
        }
    }

    private func recordLarge(since start: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        inbox.withLock { $0.queue.recordLarge(now - start, at: now) }
    }

    /// Ends the work on the queue, until a command comes, or until large commands that wait may continue.
    ///
    /// - Returns: false if there are commands to execute now.
    private func rest() -> Bool {
        let (isIdle, delay): (Bool, Duration?) = inbox.withLock { inbox in
            let delay = inbox.queue.delay(.now)
            guard inbox.queue.isEmpty || delay != nil else { return (false, nil) }
            inbox.isAwake = false
            guard let delay, !inbox.willGoOn else { return (true, nil) }
            inbox.willGoOn = true
            return (true, delay)
        }
        guard let delay else { return isIdle }
        let microseconds = delay / .microseconds(1)
        queue.asyncAfter(deadline: .now() + .microseconds(Int(microseconds.rounded(.up)))) { [self] in
            inbox.withLock { ($0.willGoOn, $0.isAwake) = (false, true) }
            drain()
        }
        return true
    }

    /// Waits for the commands that the next transaction should have. A step of maintenance takes the place of the wait.
    private func awaitCommands(after commands: [WriteCommand]) {
        let wanted = inbox.withLock { inbox in
            inbox.groupCommit.record(commands.count { !$0.isBarrier })
            return inbox.groupCommit.wantedCount
        }
        guard inbox.withLock({ $0.mustWait(for: wanted) }), !runMaintenance(isIdle: false) else { return }
        let mustWait = inbox.withLock { inbox in
            inbox.wantedCount = inbox.mustWait(for: wanted) ? wanted : nil
            return inbox.wantedCount != nil
        }
        guard mustWait, arrival.wait(timeout: .now() + GroupCommit.timeout) == .timedOut else { return }
        let isSignalled = inbox.withLock { inbox in
            defer { inbox.wantedCount = nil }
            return inbox.wantedCount == nil
        }
        // The commands have come since the wait ended. The next wait must not end by their signal.
        if isSignalled { arrival.wait() }
    }

    private func write(_ commands: [WriteCommand], _ start: ContinuousClock.Instant) {
        if let loss = watch.loss(at: start) { return refuse(commands, loss) }
        let result = database.withLock { database in
            guard database != nil else { return WriteResult(commands, failure: .unavailable("the journal is closed")) }
            return database?.write(commands) ?? WriteResult(commands, failure: .unavailable("the journal is closed"))
        }
        live.add(result.liveChange, ordering: .relaxed)
        if let failure = result.diskFailure {
            fail(failure)
        } else if result.hasWritten {
            hasWritten(in: ContinuousClock.now - start)
        }
        if result.hasFailures { hasFailed.store(true, ordering: .relaxed) }
        for (id, detail) in result.damaged { report(.damaged(session: id, detail)) }
        result.acknowledge(commands)
        sortIfNeeded()
        checkpointIfNeeded(isPeriodic: false)
    }

    /// Fails commands that no later process would find.
    private func refuse(_ commands: [WriteCommand], _ loss: FileWatch.Loss) {
        let result = WriteResult(commands, failure: .unavailable(loss.detail))
        live.add(result.liveChange, ordering: .relaxed)
        if result.hasFailures { hasFailed.store(true, ordering: .relaxed) }
        result.acknowledge(commands)
    }

    /// Whether the file can be written, as far as is known.
    private var isWritable: Bool { !isFailing.load(ordering: .relaxed) && !watch.isLost }

    /// Sorts some commits, if many are waiting; else sees to it that all are sorted soon.
    private func sortIfNeeded() {
        guard isWritable else { return }
        let hasUnsorted = database.withLock { database in
            if database?.mustSort == true { _ = database?.sort(isIdle: false) }
            return database?.hasUnsorted == true
        }
        let isFirst = inbox.withLock { inbox in
            defer { inbox.willSort = inbox.willSort || hasUnsorted }
            return hasUnsorted && !inbox.willSort && !inbox.isClosed
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + sortingPolicy.delay) { [weak self] in
            guard let self, !inbox.withLock({ $0.isClosed }) else { return }
            enqueue(.barrier { [self] in beginSorting() })
        }
    }

    private func beginSorting() {
        inbox.withLock { $0.willSort = false }
        database.withLock { $0?.beginSorting() }
    }

    private func checkpointIfNeeded(isPeriodic: Bool) {
        guard !watch.isLost, let extent = database.withLock({ $0?.neededCheckpoint(isPeriodic: isPeriodic) }) else {
            return
        }
        checkpointer.begin(extent) { [self] in
            guard !inbox.withLock(\.isClosed) else { return }
            enqueue(.barrier { [self] in finishCheckpoint() })
        }
    }

    private func finishCheckpoint() {
        if watch.lookUp().map(\.isOnlyLog) ?? true { database.withLock { $0?.finishCheckpoint() } }
        checkpointer.end()
    }

    private func fail(_ failure: String) {
        guard !isFailing.exchange(true, ordering: .relaxed) else { return }
        report(.failed(failure))
        probeLater()
    }

    private func hasWritten(in duration: Duration) {
        transactions.add(1, ordering: .relaxed)
        observer.call(duration)
        recover()
    }

    private func recover() {
        guard isFailing.exchange(false, ordering: .relaxed) else { return }
        report(.recovered)
    }

    /// Tries a small write every 250 ms until one succeeds.
    private func probeLater() {
        queue.asyncAfter(deadline: .now() + .milliseconds(250)) { [weak self] in
            guard let self, isFailing.load(ordering: .relaxed) else { return }
            let works = watch.lookUp() == nil ? database.withLock { $0?.probe() } : false
            switch works {
            case true: recover()
            case false: probeLater()
            case nil: break
            }
        }
    }

    /// Runs one step of maintenance; false if there is nothing to do, or if the step fails.
    ///
    /// - Parameter isIdle: whether no commit waits.
    private func runMaintenance(isIdle: Bool) -> Bool {
        guard isWritable, watch.loss(at: .now) == nil else { return false }
        let (lastUses, isClosed): ([Int: Int]?, Bool) = inbox.withLock { inbox in
            if inbox.isClosed { inbox.stepsAfterClose -= 1 }
            return (inbox.stepsAfterClose > 0 ? inbox.takeLastUses() : nil, inbox.isClosed)
        }
        guard let lastUses else { return false }
        let (isBusy, hasUses) = database.withLock { database in
            guard database != nil else { return (false, false) }
            if isClosed { database?.beginSorting() }
            database?.recordUses(lastUses)
            let isBusy = database?.runMaintenance(isIdle: isIdle) ?? false
            return (isBusy, database?.lastUses.isEmpty == false)
        }
        if !hasUses { inbox.withLock { $0.usesInWriting = [:] } }
        return isBusy
    }
}

extension Writer.Inbox {
    fileprivate func mustWait(for wanted: Int) -> Bool {
        queue.count < wanted && !isClosed && !queue.hasBarrier
    }

    /// Ends the wait if the newest command is the last that was wanted, or a barrier, which is for all commands before it.
    ///
    /// - Returns: whether the queue waited.
    fileprivate mutating func endWait(with command: WriteCommand) -> Bool {
        guard let wantedCount, queue.count >= wantedCount || command.isBarrier else { return false }
        self.wantedCount = nil
        return true
    }

    fileprivate mutating func takeLastUses() -> [Int: Int] {
        defer { lastUses = [:] }
        usesInWriting.merge(lastUses) { max($0, $1) }
        return lastUses
    }
}
