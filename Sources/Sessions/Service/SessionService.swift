package import JSON
import Locks
import Platform
import Security
import StoreHosting
import Stores

/// Does what a request asks of a session in memory: the last handler of the chain.
package final class SessionService: SessionHandler {
    private let registry: SessionRegistry
    let creator: SessionCreator
    let reads = StorageReads()
    let pasts: PastStates

    package init(_ registry: SessionRegistry, _ creator: SessionCreator) {
        self.registry = registry
        self.creator = creator
        pasts = PastStates(reads)
    }

    package func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult>
    {
        if let permit = request.permit, !permit.isValid(in: session) { throw .permit(.unknown) }
        if let visitor = request.visitor { return try handle(request, of: visitor, session) }
        switch request.operation {
        case .dispatch(let action): return try dispatch(action, to: session, by: request.principal)
        case .run(let run): return try self.run(run, by: request.principal, for: nil)
        case .sync: preconditionFailure("a request with entries comes to its session as a run of them")
        case .read(let reading): return try read(reading, session, by: request.principal)
        case .recall(let selection, let revision):
            return try recall(selection, at: revision, session, by: request.principal)
        case .describe(let conditions, let kind): return try describe(session, session.store.read(), conditions, kind)
        case .log(let query): return try readLog(query, session)
        case .subscribe(let wanted): return try subscribe(wanted, to: session, by: request.principal)
        case .fork(let wanted): return try fork(session, wanted, by: request.principal)
        case .end(let conditions): return end(session, conditions)
        case .perform(let command): return .now(SessionResult(try command.perform(on: session), of: session))
        }
    }

    func describe(
        _ session: Session, _ state: EncodedState, _ conditions: Preconditions, _ kind: String?
    ) throws(SessionFailure) -> Handling<SessionResult> {
        guard kind ?? session.kind.name == session.kind.name else { throw .absent(.otherStore(session.kind.name)) }
        if let mismatch = mismatch(conditions, at: state.revision, session) { return .now(mismatch) }
        let document = { @Sendable [registry] (oldestRevision: Int?) in
            let extent = SessionDocument.Extent(stateBytes: state.json.count, oldestRevision: oldestRevision)
            let document = registry.document(of: session, revision: state.revision, extent)
            return SessionResult(.description(document.encodedLine()), of: session)
        }
        guard let journal = session.journal, !journal.hasAllCommits(upTo: state.revision) else {
            return .now(document(session.journal == nil ? state.revision : 0))
        }
        return .later { () async throws(SessionFailure) in
            // All commits up to the one before it were deleted, and a snapshot is in their place.
            document((try? await journal.oldestRevision()).map { min($0 - 1, state.revision) })
        }
    }

    /// - Parameter visitor: whoever needs the right to end it; nil for those who need none.
    func end(_ session: Session, _ conditions: Preconditions, for visitor: Actor? = nil) -> Handling<SessionResult> {
        .later { () async throws(SessionFailure) in
            switch await self.registry.end(
                session,
                unless: { state in
                    visitor.flatMap { session.refusal(of: $0, .delete, in: state) }
                        ?? conditions.mismatch(at: state.revision, of: session)
                })
            {
            case .ended: return SessionResult(.done, of: session)
            case .failed(let failure): throw failure
            case .detached: throw .detached
            case .refused(let refusal, let revision):
                return SessionResult(.refused(refusal), of: session, at: revision)
            }
        }
    }

    private func mismatch(_ conditions: Preconditions, at revision: Int, _ session: Session) -> SessionResult? {
        conditions.mismatch(at: revision, of: session).map { SessionResult(.refused($0), of: session, at: revision) }
    }
}

// Actions.
extension SessionService {
    func dispatch(
        _ action: ActionRequest, to session: Session, by principal: Credentials, isOfVisitor: Bool = false
    ) throws(SessionFailure) -> Handling<SessionResult> {
        guard let json = action.json else { preconditionFailure("an action is parsed before it comes to its session") }
        let selection = try action.selection?.selection(in: session, by: principal)
        let use = try permitUse(of: action, json, in: session, by: principal)
        var options = action.options(for: session, selection, by: principal, isOfVisitor: isOfVisitor)
        if let use { options.isWithdrawn = use.isWithdrawn }
        let start = MonotonicInstant.current
        var completion: Promise<DispatchResult>?
        let immediate = session.store.dispatch(json, options) {
            let promise = Promise<DispatchResult>()
            completion = promise
            return { promise.fulfill($0) }
        }
        guard let result = consume immediate else {
            guard let completion else { preconditionFailure("a store that has no result yet has taken a completion") }
            return .later { () async throws(SessionFailure) in
                let result = await completion.value()
                use?.end()
                return try Self.result(of: result, action, by: principal, session, since: start)
            }
        }
        use?.end()
        return .now(try Self.result(of: result, action, by: principal, session, since: start))
    }

    private static func result(
        of result: consuming DispatchResult, _ action: ActionRequest, by principal: Credentials, _ session: Session,
        since start: MonotonicInstant
    ) throws(SessionFailure) -> SessionResult {
        let moment = session.runtime.metrics.dispatched(result, isDryRun: action.isDryRun, since: start)
        switch result.outcome {
        case .committed, .ignored:
            return SessionResult(
                .action(.first(result, to: action)), of: session,
                committedAt: result.isCommitted && !action.isDryRun ? moment : nil)
        case .refused(let refusal, let index):
            return refuse(.refused(refusal, index: index), action, by: principal, session, at: session.store.revision)
        case .rejected(let rejection, let index):
            let cause = SessionFailure.Action.rejected(
                reason: rejection.reason, index: index, revision: result.revision, history: session.historyID)
            return refuse(cause, action, by: principal, session, at: result.revision)
        case .revisionMismatch:
            let shown = SessionResult(mismatchAt: result.revision, of: session)
            if case .refused(let failure) = shown.content {
                session.remember(failure, of: action, by: principal, at: result.revision)
            }
            return shown
        case .forbidden(let canRead, let index):
            let cause = canRead ? SessionFailure.Forbidden.state(lacks: .act, index: index) : .session
            return SessionResult(.refused(.forbidden(cause)), of: session)
        case .overloaded: return SessionResult(.refused(.unavailable(.actions)), of: session)
        case .ended where principal.isRevoked(in: session): throw .permit(.unknown)
        case .ended where session.continuesElsewhere: throw .detached
        case .ended: return SessionResult(.refused(.absent(.endedBeforeAction)), of: session)
        }
    }

    private static func refuse(
        _ cause: SessionFailure.Action, _ action: ActionRequest, by principal: Credentials, _ session: Session,
        at revision: Int
    ) -> SessionResult {
        session.remember(.action(cause), of: action, by: principal, at: revision)
        return SessionResult(.refused(.action(cause)), of: session)
    }
}

// States and the log.
extension SessionService {
    private func read(
        _ reading: SessionOperation.Reading, _ session: Session, by principal: Credentials
    ) throws(SessionFailure) -> Handling<SessionResult> {
        let selection = try reading.selection.selection(in: session, by: principal)
        let conditions = reading.conditions
        if !conditions.areNone, case let newest = session.store.revision, newest == reading.revision ?? newest,
            case .known = conditions.outcome(at: newest, of: session, for: selection.reader)
        {
            return .now(SessionResult(.unchanged, of: session, at: newest).shown(to: selection.reader))
        }
        // The usual case needs no closure.
        guard let revision = reading.revision else {
            return .now(Self.result(of: session.store.read(selection), conditions, session, for: selection.reader))
        }
        return read(selection, session.look(at: selection, revision), conditions, session)
    }

    func read(
        _ selection: Selection, _ look: Session.Look, _ conditions: Preconditions, _ session: Session
    ) -> Handling<SessionResult> {
        show(look, session) { state in
            Self.result(of: state, conditions, session, for: selection.reader)
        } past: { snapshot throws(RestorationError) in
            try session.kind.select(selection, of: snapshot)
        }
    }

    private static func result(
        of state: EncodedState, _ conditions: Preconditions, _ session: Session, for reader: Actor?
    ) -> SessionResult {
        switch conditions.outcome(at: state.revision, of: session, for: reader) {
        case .hold:
            SessionResult(.document(StateDocument(state)), of: session, at: state.revision).shown(to: reader)
        case .known: SessionResult(.unchanged, of: session, at: state.revision).shown(to: reader)
        case .mismatch: SessionResult(mismatchAt: state.revision, of: session)
        }
    }

    private func recall(
        _ text: SelectionText?, at revision: Int?, _ session: Session, by principal: Credentials
    ) throws(SessionFailure) -> Handling<SessionResult> {
        guard let text else { return Self.recalled(session.store.revision, session) }
        let selection = try text.selection(in: session, by: principal)
        return recall(selection, session.look(at: selection, revision), session)
    }

    /// A revision whose state is not asked for.
    static func recalled(_ revision: Int, _ session: Session) -> Handling<SessionResult> {
        .now(SessionResult(.state(EncodedState(revision: revision, json: [])), of: session, at: revision))
    }

    func recall(_ selection: Selection, _ look: Session.Look, _ session: Session) -> Handling<SessionResult> {
        show(look, session) { state in
            SessionResult(.state(state), of: session, at: state.revision)
        } past: { snapshot throws(RestorationError) in
            try session.kind.encodeAsShown(selection, of: snapshot, sealer: session.runtime.sealer)
        }
    }

    /// - Parameters:
    ///   - shown: makes the result of the selected value.
    ///   - past: selects the value of an earlier state.
    private func show(
        _ look: Session.Look, _ session: Session, _ shown: @escaping @Sendable (EncodedState) -> SessionResult,
        past: @escaping @Sendable (StateSnapshot) throws(RestorationError) -> [UInt8]
    ) -> Handling<SessionResult> {
        switch look {
        case .current(let state): .now(shown(state))
        case .earlier(let revision):
            .later { [pasts] () async throws(SessionFailure) in
                let state = try await pasts.state(of: session, at: revision)
                do throws(RestorationError) {
                    return shown(EncodedState(revision: revision, json: try past(state.snapshot)))
                } catch {
                    throw .stored(.unrestorable(error))
                }
            }
        case .later(let newest):
            .now(SessionResult(.refused(.stored(.laterRevision(newest: newest))), of: session, at: newest))
        }
    }
}

// New sessions.
extension SessionService: CreationHandler {
    package func handle(_ creation: SessionCreation) throws(SessionFailure) -> Handling<SessionResult> {
        .now(try creator.result(of: creation.kind, id: creation.id ?? .random(), creation.principal.subject))
    }
}

extension SessionCreator {
    /// Creates a session, and shows it.
    package func result(
        of kind: KindRuntime, id: SessionID = .random(), _ owner: Subject?
    ) throws(SessionFailure) -> SessionResult {
        shown(try create(kind, id: id, owner: owner))
    }

    /// - Parameter replay: the actions that were sent to it again; nil if that was not asked for.
    func shown(_ session: Session, _ replay: [ReplayedAction]? = nil) -> SessionResult {
        let state = session.store.read()
        let extent = SessionDocument.Extent(stateBytes: state.json.count, oldestRevision: 0)
        let document = registry.document(
            of: session, revision: state.revision, extent, state: state.json, replay: replay)
        return SessionResult(
            .created(document.encodedLine(), path: document.path), of: session, at: state.revision)
    }
}

extension SessionJournal {
    /// Whether no commit up to a revision was deleted, as far as that is known without waiting.
    fileprivate func hasAllCommits(upTo revision: Int) -> Bool {
        revision == 0 || bufferedCommits(after: 0, limit: 1)?.isEmpty == false
    }
}

extension SessionDocument {
    fileprivate func encodedLine() -> [UInt8] {
        var json = JSONWriter(reservingCapacity: byteCount)
        json.value(self)
        return json.finishLine()
    }
}

extension Preconditions {
    /// Why a request that changes the session may not be carried out; nil if it may.
    fileprivate func mismatch(at revision: Int, of session: Session) -> SessionFailure? {
        if case .hold = outcome(at: revision, of: session) { return nil }
        return .action(.mismatch(revision: revision, history: session.historyID))
    }
}

extension SessionResult {
    fileprivate func shown(to reader: Actor?) -> SessionResult {
        guard let reader else { return self }
        var result = self
        result.reader = reader
        return result
    }

    /// The session is at another revision than the client expects.
    package init(mismatchAt revision: Int, of session: Session) {
        self.init(
            .refused(.action(.mismatch(revision: revision, history: session.historyID))), of: session, at: revision)
    }
}
