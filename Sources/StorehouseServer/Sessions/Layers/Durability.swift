import Sockets
import StoreHosting

/// Keeps the first promise: nothing leaves before it is durable. And nothing is read from the storage before it is there.
///
/// A state has been read, or a decision been made, by the handlers behind it. What they show may not be durable yet.
struct Durability: SessionHandler {
    let next: any SessionHandler

    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        if request.operation.readsStorage(at: { session.store.revision }) { return readStored(request, session) }
        switch try next.handle(request, session) {
        case .now(let result): return Self.hold(result)
        case .later(let run): return .later { () async throws(SessionFailure) in try await Self.durable(run()) }
        }
    }

    /// A result that may leave: at once if what it shows is durable, else when it is.
    static func hold(_ result: SessionResult) -> Handling<SessionResult> {
        guard result.session.isDurable(through: result.revision) else {
            return .later { () async throws(SessionFailure) in try await durable(result) }
        }
        if let moment = result.committedAt { result.session.runtime.metrics.committed(from: moment, to: moment) }
        return .now(result)
    }

    private func readStored(_ request: SessionRequest, _ session: Session) -> Handling<SessionResult> {
        // A log shows what is durable, and asks no store.
        let newest = if case .log = request.operation { 0 } else { session.store.revision }
        // The newest revision may be another one when this one is durable.
        let pinned = if case .fork(nil) = request.operation { request.with(.fork(revision: newest)) } else { request }
        return .later { () async throws(SessionFailure) in
            do throws(JournalError) {
                try await session.durable(through: newest)
            } catch {
                throw session.failure(error)
            }
            return try await Self.durable(next.handle(pinned, session).value())
        }
    }

    private static func durable(_ result: SessionResult) async throws(SessionFailure) -> SessionResult {
        do throws(JournalError) {
            try await result.session.durable(through: result.revision)
        } catch {
            throw .unavailable(.storage(error))
        }
        if let moment = result.committedAt { result.session.runtime.metrics.committed(from: moment, to: .current) }
        return result
    }
}
