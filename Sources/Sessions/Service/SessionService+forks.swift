import JSON
import Security
import StoreHosting
import Stores

// Forks.
extension SessionService {
    /// - Parameter last: the revision of the last state that it may begin with; nil for the newest.
    func fork(
        _ parent: Session, _ wanted: ForkRequest, upTo last: Int? = nil, by principal: Credentials
    ) throws(SessionFailure) -> Handling<SessionResult> {
        let newest = last ?? parent.store.revision
        let wanted = wanted.pinned(to: newest)
        guard let revision = wanted.revision, max(revision, wanted.replay?.last ?? 0) <= newest else {
            return .now(SessionResult(.refused(.stored(.laterRevision(newest: newest))), of: parent, at: newest))
        }
        if let last = wanted.replay?.last, last < revision {
            throw .invalid([.init(pointer: .through, detail: "must be \(revision) or more")], .fork)
        }
        let actor = principal.actor(in: parent)
        let replaced = wanted.replay?.replaced ?? [:]
        if !replaced.isEmpty { try principal.require(.act) }
        if let refusal = parent.kind.refusal(of: replaced, by: actor) {
            throw .action(.refused(refusal, index: nil))
        }
        return .later { [self] () async throws(SessionFailure) in
            let state = try await pasts.state(of: parent, at: revision)
            let actions = try await RecordedActions.of(wanted, in: parent, by: actor)
            if wanted.isDryRun {
                let store = try state.makeStore(of: parent.runtime, nil, label: "")
                let replayed = await store.repeatAsCopy(actions, of: parent.runtime)
                store.end()
                return SessionResult(.replayed(replayed ?? []), of: parent)
            }
            let fork = Session.Fork(revision, state.snapshot, shared: state.isWorthKeeping ? state : nil)
            let session = try creator.create(parent.runtime, fork, owner: principal.subject)
            // Without a replay the document has the state of the revision, in the form of this program: a migration is the first commit.
            // Calls that are interrupted are reported in the commits after it.
            if actions == nil {
                session.store.rest(.replaying)
                session.store.migrate()
                let shown = creator.shown(session)
                _ = await session.store.repeatAsCopy(nil, of: parent.runtime)
                return shown
            }
            let replayed = await session.store.repeatAsCopy(actions, of: parent.runtime)
            return creator.shown(session, replayed)
        }
    }
}

extension StoreKind {
    /// - Parameter replaced: the actions that are sent in the place of others, by the revisions of those.
    /// - Returns: the refusal of the first of them, with the violations of all if it has some; nil for none.
    fileprivate func refusal(of replaced: [Int: JSONValue], by actor: Actor?) -> ActionDecodingError? {
        let refusals = replaced.sorted { $0.key < $1.key }.compactMap { (revision, action) in
            refusal(action, actor)?.below(.replacement(of: revision))
        }
        guard case .invalidPayload? = refusals.first else { return refusals.first }
        return .invalidPayload(
            refusals.flatMap { refusal in
                if case .invalidPayload(let violations) = refusal { violations } else { [JSONSchema.Violation]() }
            })
    }
}

extension HostedStore {
    /// Continues a copy of another store: calls of the other one are reported as interrupted, and nothing starts before the first
    /// action of its own.
    ///
    /// - Parameter actions: are sent to it before; nil for none.
    /// - Returns: their outcomes, in their order.
    fileprivate func repeatAsCopy(_ actions: [RecordedAction]?, of kind: KindRuntime) async -> [ReplayedAction]? {
        rest(.replaying)
        // Reported before the actions: a reducer may ignore them as long as it waits.
        resume(asCopy: true)
        var outcomes: [ReplayedAction]?
        if let actions {
            outcomes = []
            for action in actions { outcomes?.append(await action.send(to: self, of: kind)) }
            // The actions have started no call, so what they wait for has no other end.
            if !actions.isEmpty { resume(asCopy: true) }
        }
        rest(.asleep)
        return outcomes
    }
}
