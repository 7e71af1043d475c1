import StoreHosting
import Stores

/// What the writer is asked to do, in the order in which it is asked.
enum WriteCommand: Sendable {
    /// Begins a session.
    case begin(SQLiteSessionJournal, SessionHeader)
    /// Keeps what a session has committed.
    case keep(SQLiteSessionJournal, CommitTransaction)
    /// Ends a session, whose journal is nil where none is held.
    case end(SQLiteSessionJournal?, id: String, at: Int)
    /// Calls back when all before it is written, or is known not to be.
    case barrier(@Sendable () -> Void)

    /// The session that it is about.
    var journal: SQLiteSessionJournal? {
        switch self {
        case .begin(let journal, _), .keep(let journal, _): journal
        case .end(let journal, _, _): journal
        case .barrier: nil
        }
    }

    /// About how many bytes it takes to write.
    var extent: Int {
        switch self {
        case .begin(_, let session): 256 + session.initial.json.count
        case .keep(_, let unit): unit.extent
        case .end, .barrier: 64
        }
    }
}

/// What is kept of a session in one piece: commits, the snapshots that were taken at them, the answer to what brought them.
struct CommitTransaction: Sendable {
    /// A state that was encoded as its commit was made.
    struct Snapshot: Sendable {
        let revision: Int
        let state: [UInt8]
        /// What only the store knew of it; nil where that was as at revision 0.
        let hidden: [UInt8]?
    }

    var records: [CommitRecord] = []
    var snapshots: [Snapshot] = []
    var answer: IdempotencyRecord?

    var isEmpty: Bool { records.isEmpty && answer == nil }

    /// About how many bytes it takes.
    var extent: Int {
        var extent = (answer?.answer.count ?? 0) + 64
        for record in records { extent += record.extent }
        for snapshot in snapshots { extent += snapshot.state.count }
        return extent
    }
}

extension CommitRecord {
    /// About how many bytes it takes.
    var extent: Int { 192 + changes.extent + (hidden?.count ?? 0) }
}

extension EncodedPatch {
    /// About how many bytes it takes.
    var extent: Int { operations.reduce(0) { $0 + $1.path.utf8.count + $1.value.count + 32 } }
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
        if case .failed = outcome, case .begin = order { liveChange -= 1 }
    }

    /// Notes in the sessions' journals what came of the orders.
    ///
    /// - Returns: what to call, outside all locks.
    func settle(_ orders: [WriteCommand]) -> [@Sendable () -> Void] {
        var calls: [@Sendable () -> Void] = []
        for (order, outcome) in zip(orders, outcomes) {
            if case .barrier(let done) = order { calls.append(done) }
            guard let journal = order.journal else { continue }
            switch outcome {
            case .kept(let cursor): journal.settle(cursor)
            case .failed(let failure): journal.fail(failure)
            }
            calls.append { journal.tell() }
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
    var nextLook: Int
}
