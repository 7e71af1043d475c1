import Locks

/// Jobs from other threads, and whether the loop has to be woken for them.
package struct LoopInbox: Sendable {
    package typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var isAsleep: Bool
        var isClosed = false
    }

    /// Guards the jobs and the loop's word that it sleeps. A leaf: no other lock is taken under it.
    private let state: Locked<State>

    package init(asleep: Bool) {
        state = Locked(State(isAsleep: asleep))
    }

    /// Adds a job, and calls `wake` if the loop sleeps and nobody has woken it yet.
    ///
    /// The waking happens under the lock, so that the loop cannot end, and close what it is woken through, meanwhile.
    /// - Returns: false if the inbox is closed.
    package func append(_ job: @escaping Job, wake: () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.jobs.append(job)
            if state.isAsleep {
                state.isAsleep = false
                wake()
            }
            return true
        }
    }

    /// The loop wants to sleep. False if there are jobs.
    package func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.jobs.isEmpty
            return state.isAsleep
        }
    }

    /// Swaps the waiting jobs with an empty array, and notes whether the loop counts as asleep from here on.
    package func take(_ jobs: inout [Job], asleep: Bool) {
        state.withLock { state in
            state.isAsleep = asleep
            swap(&state.jobs, &jobs)
        }
    }

    /// Takes the waiting jobs; if there are none, no more are accepted.
    package func takeOrClose() -> [Job] {
        state.withLock { state in
            state.isClosed = state.jobs.isEmpty
            defer { state.jobs = [] }
            return state.jobs
        }
    }
}
