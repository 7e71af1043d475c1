import Locks
import Stores

/// A host that says what is durable when the test says so.
final class ScriptedObserver: CommitObserver {
    let identity: String? = nil
    /// The test's side, which outlives the store.
    final class Script: Sendable {
        private struct Contents {
            var durable = 0
            var hasFailed = false
            var waiters: [(revision: Int, isDurable: Promise<Bool>)] = []
        }

        /// `commit 1` and `end 1`, with the revision of the store.
        let calls = Recorder<String>()
        // Guards the rest; nothing is called while it is held.
        private let contents = Locked(Contents())

        func makeDurable(through revision: Int) {
            let due = contents.withLock { contents in
                contents.durable = revision
                let due = contents.waiters.filter { $0.revision <= revision }
                contents.waiters.removeAll { $0.revision <= revision }
                return due
            }
            for waiter in due { waiter.isDurable.fulfill(true) }
        }

        func fail() {
            let due = contents.withLock { contents in
                contents.hasFailed = true
                defer { contents.waiters = [] }
                return contents.waiters
            }
            for waiter in due { waiter.isDurable.fulfill(false) }
        }

        func isDurable(_ revision: Int) -> Bool { contents.withLock { !$0.hasFailed && revision <= $0.durable } }

        func whenDurable(_ revision: Int, _ isDurable: Promise<Bool>) {
            let result: Bool? = contents.withLock { contents in
                if revision <= contents.durable { return true }
                if contents.hasFailed { return false }
                contents.waiters.append((revision, isDurable))
                return nil
            }
            if let result { isDurable.fulfill(result) }
        }
    }

    private let script: Script
    let label = "scripted"

    init(_ script: Script) { self.script = script }

    func committed(_ commit: borrowing Commit<Tally, TallyAction>, at moment: Int) {
        script.calls.record("commit \(commit.revision)")
    }

    func willReduce(_ action: TallyAction, isNamed: Bool) {}

    func willCommit(for tag: any AnyObject & Sendable) {}

    func admits(
        _ state: Tally, from origin: Origin, _ contents: StoreCore<Tally, TallyAction>.ContentsPointer
    ) -> Bool { true }

    var judgesStates: Bool { false }

    func objection(to state: Tally) -> Rejection? { nil }

    func faultOfLosing(
        _ action: TallyAction, from origin: Origin, at bound: ActionLoss, at moment: Int
    ) -> StoreFault? { nil }

    func dispatchEnded(
        in state: UnsafePointer<Tally>, at revision: Int, nextDeadline: Int?, asksBeforeCommit: inout Bool
    ) {
        script.calls.record("end \(revision)")
    }

    func isDurable(through revision: Int) -> Bool { script.isDurable(revision) }

    func whenDurable(through revision: Int, fulfill isDurable: Promise<Bool>) {
        script.whenDurable(revision, isDurable)
    }
}
