package import JSON
import Locks
import Platform

/// Decides which job of a ``WorkPool`` runs next.
///
/// Each owner has a queue of its own, of which one job runs at a time, and the owners take turns. So a job waits for at
/// most one job of each other owner, however many jobs those have.
package struct WorkQueue<Owner: Hashable & Sendable, Job> {
    package enum Admission: Equatable, Sendable {
        /// A further thread has to run jobs.
        case startThread
        /// The threads that run will come to the job.
        case queued
        /// Too many jobs wait.
        case overloaded
    }

    package struct Limits: Sendable {
        /// How many jobs run at once.
        package var threads = 2
        /// How many jobs of one owner wait.
        package var waitingPerOwner = 128
        /// How many jobs wait in all.
        package var waiting = 1024

        package init() {}
    }

    private struct OwnerQueue {
        var waiting: [Job] = []
        var isRunning = false
    }

    private let limits: Limits
    private var queues: [Owner: OwnerQueue] = [:]
    /// The owners with a job that can run now, in the order of their turns.
    private var turns: [Owner] = []
    private var threadCount = 0
    private var waitingCount = 0

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Whether a further job of an owner may wait, behind fewer than `most` others of it.
    package func hasRoom(for owner: Owner, behindFewerThan most: Int = .max) -> Bool {
        waitingCount < limits.waiting && queues[owner]?.waiting.count ?? 0 < min(most, limits.waitingPerOwner)
    }

    package mutating func add(_ job: Job, of owner: Owner) -> Admission {
        hasRoom(for: owner) ? append(job, of: owner) : .overloaded
    }

    /// Adds a job also if too many wait: it continues one that was admitted.
    package mutating func append(_ job: Job, of owner: Owner) -> Admission {
        var queue = queues[owner] ?? OwnerQueue()
        if !queue.isRunning, queue.waiting.isEmpty { turns.append(owner) }
        queue.waiting.append(job)
        queues[owner] = queue
        waitingCount += 1
        guard threadCount < limits.threads, !turns.isEmpty else { return .queued }
        threadCount += 1
        return .startThread
    }

    /// The next job for a thread; nil if the thread has to end.
    ///
    /// - Parameter finished: the owner of the job that the thread has just run, if any.
    package mutating func next(after finished: Owner?) -> (owner: Owner, job: Job)? {
        if let finished, var queue = queues[finished] {
            queue.isRunning = false
            queues[finished] = queue.waiting.isEmpty ? nil : queue
            if !queue.waiting.isEmpty { turns.append(finished) }
        }
        guard !turns.isEmpty else {
            threadCount -= 1
            return nil
        }
        // An owner with a turn has a waiting job.
        let owner = turns.removeFirst()
        let job = queues[owner, default: OwnerQueue()].waiting.removeFirst()
        queues[owner]?.isRunning = true
        waitingCount -= 1
        return (owner, job)
    }
}

/// Whose turn it is in a ``WorkPool``.
package enum WorkOwner: Hashable, Sendable {
    case session(SessionID)
    /// A session whose long requests are read. Work on its state does not wait for that.
    case bodies(SessionID)
    /// A subject, who lists its sessions.
    case subject(Subject)
    /// The operator, who lists the sessions.
    case admin
}

/// Runs work that would take an event loop too long: on a few threads of low priority, fairly between owners.
package final class WorkPool: Sendable {
    package typealias Job = @Sendable () -> Void

    // Guards the queue. No job runs while it is held.
    private let queue: Locked<WorkQueue<WorkOwner, Job>>

    package init(_ limits: WorkQueue<WorkOwner, Job>.Limits = .init()) { queue = Locked(WorkQueue(limits)) }

    /// Runs work on a thread of the pool. When it waits for something, the thread is free for other work meanwhile.
    ///
    /// - Parameter most: how many jobs of the owner may wait, if those are fewer than usual.
    /// - Throws: ``SessionFailure/Unavailable/threads`` if too many jobs wait; the work does not begin then.
    package func run<Value: Sendable>(
        for owner: WorkOwner, waitingAtMost most: Int = .max,
        _ work: @Sendable () async throws(SessionFailure) -> Value
    ) async throws(SessionFailure) -> Value {
        guard queue.withLock({ $0.hasRoom(for: owner, behindFewerThan: most) }) else { throw .unavailable(.threads) }
        let executor = OwnerExecutor(owner, self)
        // The task does not keep its executor.
        defer { withExtendedLifetime(executor) {} }
        return try await withTaskExecutorPreference(executor, operation: work)
    }

    fileprivate func append(_ job: @escaping Job, of owner: WorkOwner) {
        start(queue.withLock { $0.append(job, of: owner) })
    }

    private func start(_ admission: WorkQueue<WorkOwner, Job>.Admission) {
        guard admission == .startThread else { return }
        let isStarted = startThread { [self] in
            lowerThreadPriority()
            runJobs()
        }
        // Without a thread the caller runs the jobs: nothing that was accepted may be left undone.
        if !isStarted { runJobs() }
    }

    /// A thread ends when no job can run: a new one costs little compared with the work that it is for.
    private func runJobs() {
        var finished: WorkOwner?
        while let (owner, job) = queue.withLock({ $0.next(after: finished) }) {
            job()
            finished = owner
        }
    }
}

/// Runs the parts of a task in the turns of one owner.
private final class OwnerExecutor: TaskExecutor {
    private let owner: WorkOwner
    private let pool: WorkPool

    init(_ owner: WorkOwner, _ pool: WorkPool) {
        self.owner = owner
        self.pool = pool
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.append({ [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }, of: owner)
    }
}
