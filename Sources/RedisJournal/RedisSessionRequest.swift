import StoreHosting
import Stores

/// The changes that a request can make to a session.
enum RedisSessionChange: Sendable {
    indirect case create(SessionHeader)
    /// A transaction without a snapshot, a record and a change of the members, as most are. The request stays small,
    /// because another thread than the one that has made it frees it, and that costs more for large objects.
    case commits(after: Int, [CommitRecord], nextDeadline: Int?)
    indirect case append(CommitTransaction, StateSnapshot?)
    indirect case permits(PermitChange)
    indirect case index([ActorID])
    case end

    init(_ transaction: CommitTransaction, _ snapshot: StateSnapshot?) {
        self =
            snapshot == nil && transaction.record == nil && transaction.members == nil
            ? .commits(
                after: transaction.baseRevision, transaction.commits, nextDeadline: transaction.nextDeadline)
            : .append(transaction, snapshot)
    }

    /// Whether it is a transaction of commits, which a lane takes.
    var isTransaction: Bool {
        switch self {
        case .commits, .append: true
        case .create, .permits, .index, .end: false
        }
    }

    var idempotencyRecord: IdempotencyRecord? {
        if case .append(let transaction, _) = self { transaction.idempotencyRecord } else { nil }
    }
}

/// A change of a session, on its way to Redis.
final class RedisSessionRequest: RedisRequest {
    let byteCount: Int
    let deadline: ContinuousClock.Instant?
    private let journal: RedisSessionJournal
    private let change: RedisSessionChange

    init(
        _ journal: RedisSessionJournal, _ change: RedisSessionChange, byteCount: Int, deadline: ContinuousClock.Instant
    ) {
        self.journal = journal
        self.change = change
        self.byteCount = byteCount
        self.deadline = deadline
    }

    var kind: RedisRequestKind { .write }

    func encode() -> RedisBatch? { journal.encode(change) }

    func done(_ result: Result<RedisReply, JournalError>) { journal.take(result) }
}
