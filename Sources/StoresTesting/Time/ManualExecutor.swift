import Locks

/// An executor that runs jobs only inside ``run(limit:)``, on the calling thread, in the order of their arrival.
///
/// A task consists of jobs, divided by its suspension points. With one thread and one order, each run of a test is the same,
/// unless a task waits for another thread: an unstructured `Task {}` and `Task.sleep` run on other threads.
@available(macOS 15, iOS 18, visionOS 2, *)
public final class ManualExecutor: TaskExecutor {
    fileprivate struct Contents {
        var jobs: [UnownedJob] = []
        var isRunning = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    // Guards the jobs and their waiters. No job runs while it is held.
    private let contents = Locked(Contents())

    /// An executor without jobs.
    public init() {}

    /// Starts a task whose jobs are queued for ``run(limit:)``: the `startTask` of a `StoreEnvironment`.
    @Sendable package func startTask(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self, operation: operation)
    }

    /// Queues a job for ``run(limit:)``. Any thread may call it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let waiting: [CheckedContinuation<Void, Never>] = contents.withLock { contents in
            contents.jobs.append(job)
            defer { contents.waiting = [] }
            return contents.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Runs all queued jobs, the jobs that they enqueue, and so on until the queue is empty.
    ///
    /// Inside a job it does nothing: the running call runs the other jobs too.
    ///
    /// - Parameter limit: the maximum number of jobs, because tasks that never wait would run for ever.
    /// - Returns: whether the queue is empty.
    @discardableResult
    public func run(limit: Int = 100_000) -> Bool {
        guard contents.withLock({ $0.begin() }) else { return true }
        defer { contents.withLock { $0.isRunning = false } }
        var left = limit
        while left > 0 {
            let jobs = contents.withLock { $0.take(left) }
            if jobs.isEmpty { return true }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            left -= jobs.count
        }
        return contents.withLock { $0.jobs.isEmpty }
    }

    /// Waits until another thread has enqueued a job.
    package func waitForJob() async {
        await withCheckedContinuation { continuation in
            let isThere = contents.withLock { contents in
                if !contents.jobs.isEmpty { return true }
                contents.waiting.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

@available(macOS 15, iOS 18, visionOS 2, *)
extension ManualExecutor.Contents {
    /// Whether the caller may run jobs: false if another call does.
    fileprivate mutating func begin() -> Bool {
        defer { isRunning = true }
        return !isRunning
    }

    fileprivate mutating func take(_ limit: Int) -> [UnownedJob] {
        let taken = Array(jobs.prefix(limit))
        jobs.removeFirst(taken.count)
        return taken
    }
}
