import JSON
import Locks
package import StoreHosting
import Stores

/// The data of a session's journal in memory: the commands on their way to the storage, and the newest commits.
package struct SessionContents<Position: Sendable>: Sendable {
    /// How many commands the storage was given, and how many of them it has acknowledged: written them, or with
    /// relaxed durability taken them.
    package var enqueued = 0
    package var acknowledged = 0
    package var waiters = DurabilityWaiters()
    /// Whether a thread notifies waiters now.
    package var isNotifying = false
    /// Why nothing is persisted any more.
    package var failure: JournalError?
    package var hasEnded = false

    /// Where the next row is appended, as the storage knows it; nil until the session is written.
    package var position: Position?
    package var recent: RecentCommits
    package var policy: SnapshotPolicy
    /// The private part of the newest state; nil if it is as at revision 0.
    package var privateState: [UInt8]?

    /// Whether nothing was done on the session, as far as the storage was told.
    package var isUnused = false
    /// When the session was used, and the newest of these moments that the storage was given.
    package var lastUse = 0
    package var recordedUse = 0

    package init(
        position: Position?, recent: RecentCommits, policy: SnapshotPolicy, privateState: [UInt8]?,
        isUnused: Bool, lastUse: Int, recordedUse: Int
    ) {
        self.position = position
        self.recent = recent
        self.policy = policy
        self.privateState = privateState
        self.isUnused = isUnused
        self.lastUse = lastUse
        self.recordedUse = recordedUse
    }

    /// Whether the storage has acknowledged all commands, and nobody waits for one.
    package var isSettled: Bool { acknowledged == enqueued && waiters.isEmpty }

    package func isDurable(through revision: Int) -> Bool {
        // With waiters in front, a caller that did not wait would overtake them.
        failure == nil && isSettled && !isNotifying
            && (revision <= recent.lastRevision || hasEnded)
    }

    /// When everything up to a revision is durable; for revision 0, everything until now.
    fileprivate func condition(through revision: Int) -> DurabilityWaiters.Condition {
        if failure != nil {
            // The store has changes that are never persisted.
            return .order(revision > 0 && revision <= recent.durableRevision ? 0 : .max)
        }
        return revision <= recent.lastRevision || hasEnded ? .order(enqueued) : .revision(revision)
    }

    /// Takes a transaction into memory, and gives it to the storage.
    ///
    /// - Parameter enqueue: gets the snapshot of the state after the last commit, if one should be stored.
    /// - Returns: whether it was given to the storage.
    package mutating func append(
        _ transaction: CommitTransaction, _ state: borrowing StateView, _ budget: RecentCommitsBudget,
        _ enqueue: (StateSnapshot?, inout Self) -> Void
    ) -> Bool {
        guard failure == nil, !hasEnded else {
            waiters.resolve(through: .max, order: failure == nil ? enqueued : .max)
            return false
        }
        let snapshot = recordCommits(of: transaction, state)
        budget.add(recent.append(transaction.commits, within: budget.perSessionLimit))
        enqueue(snapshot, &self)
        waiters.resolve(through: recent.lastRevision, order: enqueued)
        return true
    }

    private mutating func recordCommits(
        of transaction: CommitTransaction, _ state: borrowing StateView
    ) -> StateSnapshot? {
        privateState = transaction.commits.last { $0.privateState != nil }?.privateState ?? privateState
        guard policy.wantsSnapshot(after: transaction.commits) else { return nil }
        let json = state.encoded(.root)
        policy.recordSnapshot(at: transaction.lastRevision, byteCount: json.count)
        return StateSnapshot(json: json, privateState: privateState)
    }

    /// Nothing that is not acknowledged will be persisted, nor anything that follows.
    package mutating func fail(_ failure: JournalError, _ budget: RecentCommitsBudget) {
        self.failure = self.failure ?? failure
        budget.add(recent.dropUndurable())
    }

    /// Takes out the waiters to notify now; nil if there are none, or another thread notifies some.
    fileprivate mutating func takeDue() -> (
        acknowledged: [DurabilityWaiters.Wait], failed: [DurabilityWaiters.Wait], failure: JournalError?
    )? {
        guard !isNotifying else { return nil }
        let (done, failed) =
            failure == nil
            ? (waiters.take(acknowledged: acknowledged), []) : waiters.takeAll(acknowledged: acknowledged)
        if done.isEmpty, failed.isEmpty { return nil }
        isNotifying = true
        return (done, failed, failure)
    }
}

extension Locked {
    /// Notifies the waiters that are due, in their order. While one thread does this, others leave it to that one.
    ///
    /// - Parameters:
    ///   - change: is done before, with the same lock.
    ///   - problem: says why not to answer although the commit is acknowledged.
    package func notifyWaiters<Position>(
        after change: (inout Value) -> Void = { _ in },
        _ problem: () -> JournalError? = { nil }
    ) where Value == SessionContents<Position> {
        var next = withLock { contents in
            change(&contents)
            return contents.takeDue()
        }
        while let due = next {
            for wait in due.acknowledged { wait.waiter.waitEnded(with: problem()) }
            for wait in due.failed { wait.waiter.waitEnded(with: due.failure) }
            next = withLock { contents in
                contents.isNotifying = false
                return contents.takeDue()
            }
        }
    }

    /// Notifies `waiter` once everything up to a revision is durable; see `CommitRecorder`.
    ///
    /// - Parameter problem: as with ``notifyWaiters(after:_:)``.
    package func whenDurable<Position>(
        through revision: Int, notify waiter: any DurabilityWaiter, _ problem: () -> JournalError? = { nil }
    ) where Value == SessionContents<Position> {
        let (isDurable, hasFailed) = withLock { contents in
            if contents.isDurable(through: revision) { return (true, false) }
            contents.waiters.append(waiter, contents.condition(through: revision))
            return (false, contents.failure != nil)
        }
        // The caller may be inside the store, so nobody else is notified here. Whoever acknowledges notifies `waiter`; after a
        // failure nobody does.
        if isDurable { waiter.waitEnded(with: problem()) } else if hasFailed { notifyWaiters(problem) }
    }
}
