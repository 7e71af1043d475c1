import JSON
import Security
import StoreHosting
import Stores

// Requests of actors who do not own the session: each is asked for its right in one step with what it does or sees.
extension SessionService {
    func handle(
        _ request: SessionRequest, of visitor: Actor, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        switch request.operation {
        // The store asks.
        case .dispatch(let action): return try dispatch(action, to: session, by: request.principal, isOfVisitor: true)
        case .run(let run): return try self.run(run, by: request.principal, for: visitor)
        case .sync: preconditionFailure("a request with entries comes to its session as a run of them")
        // The hub asks.
        case .subscribe(let wanted): return try subscribe(wanted, to: session, by: request.principal, of: visitor)
        case .perform(let command): return .now(try perform(command, for: visitor, session))
        case .end(let conditions): return end(session, conditions, for: visitor)
        case .read(let reading):
            let selection = try reading.selection.selection(in: session, by: request.principal)
            return answer(session.ask(visitor, for: .read) { Session.Look($0, selection, reading.revision) }, session) {
                read(selection, $0, reading.conditions, session)
            }
        case .recall(let text, let revision):
            let selection = try text?.selection(in: session, by: request.principal)
            return recall(selection, at: revision, session, for: visitor)
        case .describe(let conditions, let kind):
            let state = session.ask(visitor, for: .read) {
                EncodedState(revision: $0.revision, json: $0.encoded(.root))
            }
            return try answer(state, session) { (state) throws(SessionFailure) in
                try describe(session, state, conditions, kind)
            }
        case .log(let query):
            return try answer(session.ask(visitor, for: .read) { $0.revision }, session) {
                (revision) throws(SessionFailure) in
                try readLog(query, session, upTo: revision)
            }
        case .fork(let wanted):
            return try answer(session.ask(visitor, for: .create) { $0.revision }, session) {
                (revision) throws(SessionFailure) in
                try fork(session, wanted, upTo: revision, by: request.principal)
            }
        }
    }

    /// A refusal is a result: it may tell of a commit that is not durable yet.
    private func answer<Value, Failure: Error>(
        _ asked: Result<Value, SessionFailure>, _ session: Session,
        _ handle: (Value) throws(Failure) -> Handling<SessionResult>
    ) throws(Failure) -> Handling<SessionResult> {
        switch asked {
        case .success(let value): try handle(value)
        case .failure(let refusal): .now(SessionResult(.refused(refusal), of: session))
        }
    }

    private func recall(
        _ selection: Selection?, at revision: Int?, _ session: Session, for visitor: Actor
    ) -> Handling<SessionResult> {
        guard let selection else {
            return answer(session.ask(visitor, for: .read) { $0.revision }, session) { Self.recalled($0, session) }
        }
        return answer(session.ask(visitor, for: .read) { Session.Look($0, selection, revision) }, session) {
            recall(selection, $0, session)
        }
    }

    private func perform(
        _ command: any SessionCommand, for visitor: Actor, _ session: Session
    ) throws(SessionFailure) -> SessionResult {
        guard let right = command.right else { return SessionResult(try command.perform(on: session), of: session) }
        let asked = session.ask(visitor, for: right, passingOn: command.rightsToPassOn) { _ in
            Result { () throws(SessionFailure) in try command.perform(on: session) }
        }
        switch asked {
        case .success(let content): return SessionResult(try content.get(), of: session)
        case .failure(let refusal): return SessionResult(.refused(refusal), of: session)
        }
    }
}
