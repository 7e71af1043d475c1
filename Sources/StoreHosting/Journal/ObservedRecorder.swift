/// Passes transactions on to a recorder, and shows each of them to an observer then.
package final class ObservedRecorder: CommitRecorder {
    /// Nil if the commits are kept nowhere.
    private let recorder: (any CommitRecorder)?
    private let observe: @Sendable (CommitTransaction) -> Void

    package init(_ recorder: (any CommitRecorder)?, observe: @escaping @Sendable (CommitTransaction) -> Void) {
        self.recorder = recorder
        self.observe = observe
    }

    package func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        recorder?.append(transaction, state)
        observe(transaction)
    }

    package func isDurable(through revision: Int) -> Bool { recorder?.isDurable(through: revision) ?? true }

    package func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) {
        if let recorder { recorder.whenDurable(through: revision, notify: waiter) } else { waiter.waitEnded(with: nil) }
    }
}
