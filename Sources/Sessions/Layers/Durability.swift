import Platform
import StoreHosting

/// Keeps the first promise: nothing leaves before it is durable. And nothing is read from the storage before it is there.
///
/// A state has been read, or a decision been made, by the handlers behind it. What they show may not be durable yet.
struct Durability<Next: SessionHandler>: SessionHandler {
    let next: Next

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        if request.operation.readsStorage(at: { session.store.revision }) { return readStored(request, session) }
        return try next.handle(request, session).whenDurable()
    }

    @inline(never)
    private func readStored(_ request: SessionRequest, _ session: Session) -> Handling<SessionResult> {
        // A log shows what is durable, and asks no store.
        let newest = if case .log = request.operation { 0 } else { session.store.revision }
        // The newest revision may be another one when this one is durable.
        let pinned =
            if case .fork(let fork) = request.operation {
                request.with(.fork(fork.pinned(to: newest)))
            } else {
                request
            }
        return .later { () async throws(SessionFailure) in
            do throws(JournalError) {
                try await session.durable(through: newest)
            } catch {
                throw session.failure(error)
            }
            return try await next.handle(pinned, session).value().durable()
        }
    }
}

extension Durability: CreationHandler where Next: CreationHandler {
    func handle(_ creation: SessionCreation) throws(SessionFailure) -> Handling<SessionResult> {
        let handling = try next.handle(creation).whenDurable()
        if creation.id == nil { return handling }
        if case .now = handling { return handling }
        return .later { () async throws(SessionFailure) in
            do throws(SessionFailure) {
                return try await handling.value()
            } catch {
                // Another node has created it at the same time: it is found now.
                if case .unavailable(.storage(.conflict)) = error { throw .detached }
                throw error
            }
        }
    }
}

extension Handling<SessionResult> {
    /// Holds the result until what it shows is durable.
    @inline(__always)
    fileprivate consuming func whenDurable() -> Handling<SessionResult> {
        switch consume self {
        case .now(let result):
            guard result.session.isDurable(through: result.revision) else {
                return .held(result, CommitsOfResult(result))
            }
            if let moment = result.committedAt { result.session.runtime.metrics.committed(from: moment, to: moment) }
            return .now(result)
        case .held(let result, let hold): return .held(result, hold)
        case .later(let run): return .later { () async throws(SessionFailure) in try await run().durable() }
        }
    }
}

extension SessionResult {
    /// Waits until it may leave.
    fileprivate func durable() async throws(SessionFailure) -> SessionResult {
        try await CommitsOfResult(self).over()
        return self
    }
}

/// The commits that a result shows, which have to be durable before it leaves.
private final class CommitsOfResult: Hold {
    private let session: Session
    private let revision: Int
    /// When the store has committed the action of the result; nil if it has not.
    private let committedAt: MonotonicInstant?

    init(_ result: SessionResult) {
        (session, revision, committedAt) = (result.session, result.revision, result.committedAt)
    }

    func whenOver(notify waiter: any HoldWaiter) {
        guard let journal = session.journal else { return waiter.holdEnded(with: nil) }
        journal.whenDurable(through: revision, notify: HeldResult(self, waiter))
    }

    fileprivate func end(_ error: JournalError?) -> SessionFailure? {
        if let error { return .unavailable(.storage(error)) }
        if let committedAt { session.runtime.metrics.committed(from: committedAt, to: .current) }
        return nil
    }
}

/// A result that leaves once its commits are durable.
private final class HeldResult: DurabilityWaiter {
    private let commits: CommitsOfResult
    private let waiter: any HoldWaiter

    init(_ commits: CommitsOfResult, _ waiter: any HoldWaiter) { (self.commits, self.waiter) = (commits, waiter) }

    func waitEnded(with failure: JournalError?) { waiter.holdEnded(with: commits.end(failure)) }
}

// Events, ends and new sessions, which leave a session without a request to the chain.
extension Session {
    /// Sends to streams once the commits up to a revision are durable, and everything appended to the journal so far; in the order
    /// of the calls. If it is lost, all streams are disconnected: the session continues from its last durable commit, and the clients
    /// come back to that.
    func release(_ news: StreamNews, upTo revision: Int) {
        guard let journal, !journal.isDurable(through: revision) else { return news.send() }
        journal.whenDurable(through: revision, notify: HeldNews(news, self))
    }

    /// A value that shows the commits up to a revision, once they are durable.
    package func release<Value: Sendable>(_ value: Value, upTo revision: Int) -> Handling<Value> {
        if isDurable(through: revision) { return .now(value) }
        return .later { () async throws(SessionFailure) in
            do throws(JournalError) {
                try await self.durable(through: revision)
                return value
            } catch {
                self.events.disconnectAll()
                throw .unavailable(.storage(error))
            }
        }
    }
}

extension Session {
    /// Whether everything committed so far is durable, and `revision` is part of it.
    fileprivate func isDurable(through revision: Int) -> Bool { journal?.isDurable(through: revision) ?? true }

    /// Waits until everything committed so far is durable, and `revision` is part of it.
    fileprivate func durable(through revision: Int) async throws(JournalError) {
        try await journal?.durable(through: revision)
    }
}

/// Events that go to the streams of a session once their commits are durable.
private final class HeldNews: DurabilityWaiter {
    private let news: StreamNews
    private weak let session: Session?

    init(_ news: StreamNews, _ session: Session) { (self.news, self.session) = (news, session) }

    func waitEnded(with failure: JournalError?) {
        if failure == nil { news.send() } else { session?.events.disconnectAll() }
    }
}
