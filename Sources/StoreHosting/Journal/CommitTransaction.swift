package import JSON
import Locks
package import Stores

/// The commits of one dispatch, and the record of its request: persisted together or not at all.
///
/// An action with a record that was ignored or rejected makes a transaction without commits.
@usableFromInline
package struct CommitTransaction: Sendable {
    /// The revision of the store before the first commit. A journal that is at another revision refuses the
    /// transaction.
    package let baseRevision: Int
    /// The commits, whose revisions follow ``baseRevision`` without a gap.
    package let commits: [CommitRecord]
    /// The record of the request; nil for most, which have none.
    package let record: DispatchRecord?
    /// When the next timer is due after the last commit, in milliseconds since 1970-01-01T00:00:00Z; nil if none is set.
    /// It says nothing in a transaction without commits.
    package let nextDeadline: Int?
    /// How the commits change the members of the session; nil if they do not.
    package let members: MemberChange?

    /// A transaction that follows the revision `baseRevision`.
    package init(
        baseRevision: Int, commits: [CommitRecord] = [], record: DispatchRecord? = nil,
        nextDeadline: Int? = nil, members: MemberChange? = nil
    ) {
        self.baseRevision = baseRevision
        self.commits = commits
        self.record = record
        self.nextDeadline = nextDeadline
        self.members = members
    }

    /// The response to the request; nil unless it has an Idempotency-Key.
    package var idempotencyRecord: IdempotencyRecord? {
        if case .answer(let record)? = record { record } else { nil }
    }

    /// The change of the records of clients; nil unless the request has entries.
    package var clients: ClientChange? {
        if case .client(let change)? = record { change } else { nil }
    }

    /// The revision of the store after the last commit.
    package var lastRevision: Int { baseRevision + commits.count }
}

/// Receives the transactions of one store in the order of their revisions: a session's journal, or a recorder in front
/// of it.
@usableFromInline
package protocol CommitRecorder: AnyObject, Sendable {
    /// Appends a transaction, whole or not at all.
    ///
    /// It is called inside the store, after subscribers were notified of the commits, so it must be quick.
    ///
    /// - Parameters:
    ///   - transaction: the commits of one dispatch.
    ///   - state: the state after the last commit, from which a journal may take a snapshot.
    func append(_ transaction: CommitTransaction, _ state: borrowing StateView)

    /// Whether everything appended so far is durable, and `revision` is part of it.
    ///
    /// Subscribers are notified of a commit before its transaction is appended, so `revision` may be beyond the last
    /// appended one. A recorder that only listens returns true.
    func isDurable(through revision: Int) -> Bool

    /// Notifies `waiter` once everything appended so far is durable, and the transaction that contains `revision` too.
    ///
    /// Waiters are notified in the order of these calls, once each, on any thread, and never while a lock of the
    /// recorder is held. If there is nothing to wait for, this notifies `waiter` before it returns.
    ///
    /// - Parameters:
    ///   - revision: the last of the commits to wait for; 0 for all that are appended so far.
    ///   - waiter: is notified once, also if a commit is lost.
    func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter)
}

/// Waits until commits are durable; see ``CommitRecorder/whenDurable(through:notify:)``.
@usableFromInline
package protocol DurabilityWaiter: AnyObject, Sendable {
    /// Called once.
    ///
    /// - Parameter failure: the reason if something could not be persisted; nil if all is durable. Nothing after that is
    ///   persisted either, and the state in memory is not the session's any more.
    func waitEnded(with failure: JournalError?)
}

extension CommitRecorder {
    /// Whether everything appended so far is durable.
    package var isDurable: Bool { isDurable(through: 0) }

    /// Returns once everything appended so far is durable, and the transaction that contains `revision` too.
    ///
    /// Unlike the waiters of ``whenDurable(through:notify:)``, tasks that wait are resumed in any order.
    ///
    /// - Parameter revision: the last of the commits to wait for; 0 for all that are appended so far.
    /// - Throws: the reason if something could not be persisted. Nothing after that is persisted either, and the state in
    ///   memory is not the session's any more.
    package func durable(through revision: Int) async throws(JournalError) {
        let wait = DurabilityWait()
        whenDurable(through: revision, notify: wait)
        if let failure = await wait.failure.value() { throw failure }
    }
}

/// The wait of a task.
private final class DurabilityWait: DurabilityWaiter {
    let failure = Promise<JournalError?>()

    func waitEnded(with failure: JournalError?) { self.failure.fulfill(failure) }
}

/// One commit, as it is persisted and shown in the action log: its secrets are redacted.
///
/// It is a class because it is immutable, and passed on to several lists.
@usableFromInline
package final class CommitRecord: Sendable {
    /// The revision that the commit made.
    package let revision: Int
    /// The declared name of the action.
    package let type: String
    /// The fields of the action, with `***` for secrets.
    package let payload: JSONObject
    /// The sender of the action.
    package let origin: Origin
    /// The actor that was named for a client's action; see ``actor(inSessionWithOwner:)``.
    package let namedActor: Actor?
    /// The revision whose commit caused the action; nil if none did, as with a client's.
    package let cause: Int?
    /// The time of the commit, in milliseconds since 1970-01-01T00:00:00Z.
    package let committedAt: Int
    /// The changes of the state.
    package let changes: EncodedPatch
    /// The private part of the state after the commit, as JSON with its secrets sealed; nil if it has not changed.
    package let privateState: [UInt8]?

    /// A record whose secrets are redacted already.
    ///
    /// - Parameters:
    ///   - revision: the revision that the commit made.
    ///   - type: the declared name of the action.
    ///   - payload: the fields of the action, with `***` for secrets.
    ///   - origin: the sender of the action.
    ///   - actor: the actor; nil if the action is no client's, or if every client is anonymous.
    ///   - cause: the revision whose commit caused the action; nil for a client's.
    ///   - committedAt: milliseconds since 1970-01-01T00:00:00Z.
    ///   - changes: the changes of the state.
    ///   - privateState: the private part of the state, if it has changed.
    package init(
        revision: Int, type: String, payload: JSONObject, origin: Origin, actor: Actor? = nil, cause: Int?,
        committedAt: Int, changes: EncodedPatch, privateState: [UInt8]? = nil
    ) {
        self.revision = revision
        self.type = type
        self.payload = payload
        self.origin = origin
        namedActor = actor
        self.cause = cause
        self.committedAt = committedAt
        self.changes = changes
        self.privateState = privateState
    }

    /// The sender of a client's action; nil for the action of a timer, an effect or a middleware, and if the sender is not known.
    ///
    /// Commits of earlier releases name no sender. In a session without an owner the sender was anonymous. In a session with an owner
    /// the sender is not known: it was the owner, or a subject whose token listed the session.
    package func actor(inSessionWithOwner hasOwner: Bool) -> Actor? {
        origin == .client ? namedActor ?? (hasOwner ? nil : .anonymous) : nil
    }

    /// A copy with another private state.
    package func replacing(privateState: [UInt8]) -> CommitRecord {
        CommitRecord(
            revision: revision, type: type, payload: payload, origin: origin, actor: namedActor, cause: cause,
            committedAt: committedAt, changes: changes, privateState: privateState)
    }
}
