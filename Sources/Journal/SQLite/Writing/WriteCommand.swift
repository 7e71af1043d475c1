package import StoreHosting
import Stores

/// A command to the writer, which executes commands in the order of enqueueing.
enum WriteCommand: Sendable {
    /// Creates a session.
    case create(SQLiteSessionJournal, SessionHeader)
    /// Appends a transaction to a session, with a snapshot of the state after its last commit if there is one.
    case append(SQLiteSessionJournal, CommitTransaction, StateSnapshot?)
    /// Changes the permits of a session.
    case changePermits(SQLiteSessionJournal, PermitChange)
    /// Makes the index of a session that of these members.
    case index(SQLiteSessionJournal, [ActorID])
    /// Makes the index of a session that is not in memory that of these members, if it is at this revision.
    case indexStored([ActorID], id: String, at: Int)
    /// Ends a session. The journal is nil if the session is not in memory.
    case end(SQLiteSessionJournal?, id: String, at: Int)
    /// Records a reference of the session time.
    case recordTime(SessionTimeReference)
    /// Calls back when all commands before it have been executed or have failed.
    case barrier(@Sendable () -> Void)

    /// The journal of the session that it belongs to.
    var journal: SQLiteSessionJournal? {
        switch self {
        case .create(let journal, _), .append(let journal, _, _), .changePermits(let journal, _),
            .index(let journal, _):
            journal
        case .end(let journal, _, _): journal
        case .recordTime, .barrier, .indexStored: nil
        }
    }

    var isBarrier: Bool { if case .barrier = self { true } else { false } }

    /// The session that it belongs to.
    var sessionID: String? {
        switch self {
        case .end(_, let id, _), .indexStored(_, let id, _): id
        default: journal?.id
        }
    }

    /// The approximate number of bytes to write.
    var byteCount: Int {
        switch self {
        case .create(_, let session): 256 + session.initial.json.count + (session.owner?.utf8.count ?? 0)
        case .append(_, let transaction, let snapshot): transaction.byteCount + (snapshot?.json.count ?? 0)
        case .changePermits(_, let change): change.byteCount
        case .index(_, let members), .indexStored(let members, _, _): members.byteCount
        case .end, .recordTime, .barrier: 64
        }
    }
}

extension CommitTransaction {
    /// The approximate number of bytes to write.
    package var byteCount: Int {
        let others = 64 + (record?.byteCount ?? 0) + (members?.added.byteCount ?? 0)
        return commits.reduce(others) { $0 + $1.byteCount }
    }
}

/// The results of the commands of one transaction.
struct WriteResult: Sendable {
    enum Outcome: Sendable {
        /// The command is written, and the session continues at this position; nil if the session has no journal.
        case written(AppendPosition?)
        case failed(JournalError)
    }

    /// The outcomes, in the order of the commands.
    private var outcomes: [Outcome] = []
    /// Why nothing was written, if the file is the reason.
    private(set) var diskFailure: String?
    /// The correction of the number of live sessions: sessions that ended or could not be created count negative.
    var liveChange = 0
    /// Whether the transaction wrote anything.
    var hasWritten = false
    /// Whether a command failed.
    private(set) var hasFailures = false
    /// The sessions whose rows turned out to be damaged.
    private(set) var damaged: [(id: String, detail: String)] = []

    init() {}

    /// The result of a transaction that failed.
    init(_ commands: [WriteCommand], failure: JournalError) {
        if case .unavailable(let detail) = failure { diskFailure = detail }
        for command in commands { add(.failed(failure), to: command) }
    }

    /// - Parameter count: that of the commands.
    mutating func reserveCapacity(_ count: Int) { outcomes.reserveCapacity(count) }

    /// - Parameter command: the next command.
    mutating func add(_ outcome: Outcome, to command: WriteCommand) {
        outcomes.append(outcome)
        guard case .failed(let failure) = outcome else { return }
        hasFailures = true
        if case .create = command { liveChange -= 1 }
        if case .corrupt(let detail, _) = failure, let id = command.sessionID { damaged.append((id, detail)) }
    }

    /// Reports the outcomes to the journals of the sessions, and calls the completions that waited for them. No lock may be held.
    func acknowledge(_ commands: [WriteCommand]) {
        for (command, outcome) in zip(commands, outcomes) {
            if case .barrier(let done) = command { done() }
            guard let journal = command.journal else { continue }
            switch outcome {
            case .written(let position): journal.acknowledge(position)
            case .failed(let failure): journal.fail(failure)
            }
        }
    }
}
