import JSON
import Locks
import StoreHosting
import Stores

/// Records a state as a journal does: by its patches alone, and by the newest private state.
final class ReplayRecorder: CommitRecorder {
    private struct Contents {
        var state: JSONValue?
        var privateState: [UInt8]?
        var revision: Int
        var records: [CommitRecord] = []
    }

    // Guards the recorded state. Taken inside the store's lock.
    private let contents: Locked<Contents>

    init(_ initial: StateSnapshot, at revision: Int = 0) {
        let state = try? JSONValue(parsing: initial.json)
        contents = Locked(Contents(state: state, privateState: initial.privateState, revision: revision))
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        contents.withLock { contents in
            for commit in transaction.commits {
                contents.state = contents.state.flatMap { commit.changes.applied(to: $0) }
                contents.privateState = commit.privateState ?? contents.privateState
                contents.revision = commit.revision
                contents.records.append(commit)
            }
        }
    }

    func isDurable(through revision: Int) -> Bool { true }

    func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) { waiter.waitEnded(with: nil) }

    var snapshot: StateSnapshot {
        contents.withLock { StateSnapshot(json: ($0.state ?? .null).encoded(), privateState: $0.privateState) }
    }
    var revision: Int { contents.withLock { $0.revision } }
    var records: [CommitRecord] { contents.withLock { $0.records } }
}
