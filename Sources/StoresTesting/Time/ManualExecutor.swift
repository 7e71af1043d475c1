import Locks

/// Runs tasks only while the test says so, on the thread that says it, one job after another in the order of coming.
///
/// What a task does is cut into jobs where it waits. With one thread and one order, the same test takes the same course
/// each time, as long as nothing that its tasks wait for comes from another thread: a `Task {}` that one of them starts
/// and `Task.sleep` run elsewhere.
public final class ManualExecutor: TaskExecutor {
    fileprivate struct Contents {
        var jobs: [UnownedJob] = []
        var isRunning = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    // Guards the jobs and who waits for one; no job is run while it is held.
    private let contents = Locked(Contents())

    /// An executor without jobs.
    public init() {}

    /// Keeps a job until ``run(limit:)``; may be called from any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let waiting: [CheckedContinuation<Void, Never>] = contents.withLock { contents in
            contents.jobs.append(job)
            defer { contents.waiting = [] }
            return contents.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Runs the jobs that are there, those that they enqueue, and so on until none is left.
    ///
    /// From inside a job it does nothing: who runs that job runs the others too.
    ///
    /// - Parameter limit: after how many jobs to stop, since tasks that never wait would go on for ever.
    /// - Returns: whether no job is left.
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

    /// Waits until there is a job to run: for what comes from another thread.
    public func waitForJob() async {
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

extension ManualExecutor.Contents {
    /// Whether the caller is the one who runs from here on.
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
