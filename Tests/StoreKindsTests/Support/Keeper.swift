import JSON
import Locks
import StoreHosting
import Stores

/// Keeps a state as a journal does: by the patches alone, and what was hidden last.
final class Keeper: CommitRecorder {
    private struct Contents {
        var state: JSONValue?
        var hidden: [UInt8]?
        var revision: Int
        var records: [CommitRecord] = []
    }

    // Guards what is kept. Taken inside the store's lock.
    private let contents: Locked<Contents>

    init(_ kept: StateSnapshot, at revision: Int = 0) {
        let state = try? JSONValue(parsing: kept.json)
        contents = Locked(Contents(state: state, hidden: kept.hidden, revision: revision))
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        contents.withLock { contents in
            for commit in transaction.commits {
                contents.state = contents.state.flatMap { commit.changes.applied(to: $0) }
                contents.hidden = commit.hidden ?? contents.hidden
                contents.revision = commit.revision
                contents.records.append(commit)
            }
        }
    }

    func isDurable(through revision: Int) -> Bool { true }

    func whenDurable(through revision: Int, _ done: @escaping @Sendable (JournalError?) -> Void) { done(nil) }

    var kept: StateSnapshot {
        contents.withLock { StateSnapshot(json: ($0.state ?? .null).encoded(), hidden: $0.hidden) }
    }
    var revision: Int { contents.withLock { $0.revision } }
    var records: [CommitRecord] { contents.withLock { $0.records } }
}
