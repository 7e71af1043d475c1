import StoreHosting
import Stores

/// What the writer is asked to do, in the order in which it is asked.
enum WriteCommand: Sendable {
    /// Creates a session.
    case create(SQLiteSessionJournal, SessionHeader)
    /// Appends a transaction to a session, with a snapshot of the state after its last commit if there is one.
    case append(SQLiteSessionJournal, CommitTransaction, StateSnapshot?)
    /// Ends a session, whose journal is nil where none is held.
    case end(SQLiteSessionJournal?, id: String, at: Int)
    /// Calls back when all before it is written, or is known not to be.
    case barrier(@Sendable () -> Void)

    /// The session that it is about.
    var journal: SQLiteSessionJournal? {
        switch self {
        case .create(let journal, _), .append(let journal, _, _): journal
        case .end(let journal, _, _): journal
        case .barrier: nil
        }
    }

    /// About how many bytes it takes to write.
    var byteCount: Int {
        switch self {
        case .create(_, let session): 256 + session.initial.json.count
        case .append(_, let transaction, let snapshot): transaction.byteCount + (snapshot?.json.count ?? 0)
        case .end, .barrier: 64
        }
    }
}

extension CommitTransaction {
    /// About how many bytes it takes to write.
    fileprivate var byteCount: Int {
        commits.reduce((idempotencyRecord?.answer.count ?? 0) + 64) { $0 + $1.byteCount }
    }
}

/// What came of the orders of one transaction.
struct WriteResult: Sendable {
    enum Outcome: Sendable {
        /// Its session goes on there; nil where it has no journal.
        case kept(AppendPosition?)
        case failed(JournalError)
    }

    /// In the order of the orders.
    private var outcomes: [Outcome] = []
    /// Why nothing was written, where that is the file's fault.
    private(set) var diskFailure: String?
    /// By how many there are more sessions than were counted: those that could not begin, or ended, count as less.
    var liveChange = 0
    /// Whether something was.
    var hasWritten = false

    init() {}

    /// Nothing could be written.
    init(_ orders: [WriteCommand], failure: JournalError) {
        if case .unavailable(let detail) = failure { diskFailure = detail }
        for order in orders { add(.failed(failure), to: order) }
    }

    /// - Parameter order: the next.
    mutating func add(_ outcome: Outcome, to order: WriteCommand) {
        outcomes.append(outcome)
        if case .failed = outcome, case .create = order { liveChange -= 1 }
    }

    /// Notes in the sessions' journals what came of the orders.
    ///
    /// - Returns: what to call, outside all locks.
    func acknowledge(_ orders: [WriteCommand]) -> [@Sendable () -> Void] {
        var calls: [@Sendable () -> Void] = []
        for (order, outcome) in zip(orders, outcomes) {
            if case .barrier(let done) = order { calls.append(done) }
            guard let journal = order.journal else { continue }
            switch outcome {
            case .kept(let cursor): journal.acknowledge(cursor)
            case .failed(let failure): journal.fail(failure)
            }
            calls.append { journal.notifyWaiters() }
        }
        return calls
    }
}

/// Where a session's rows go on: what the writer knows of the newest.
struct AppendPosition: Sendable {
    /// The session's, by which its rows find it.
    let number: Int
    /// Of the newest commit.
    var revision: Int
    /// The newest commit's checksum.
    var chain: UInt64
    /// The revision from which on it is worth looking whether old commits can go.
    var nextCompactionCheck: Int
}
