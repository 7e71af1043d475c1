import JSON
import Stores

extension Session {
    /// Finds the state as it was at a revision: made of a kept state and the changes since.
    ///
    /// - Parameter done: called once, on any thread.
    func past(_ revision: Int, done: @escaping @Sendable (Result<KeptState, Problem>) -> Void) {
        let present = store.revision
        guard revision <= present else {
            return done(
                .failure(
                    Problem(.noSuchRevision, "The session is at revision \(present); there is none beyond it yet.")))
        }
        guard let journal else {
            return done(.failure(Problem(.notImplemented, "This server keeps no earlier states.")))
        }
        let initial = initial
        journal.whenKept { failure in
            if let failure { return done(.failure(Problem(failure))) }
            journal.past(revision) { done(Self.state($0, initial)) }
        }
    }

    private static func state(
        _ past: Result<PastState?, JournalFailure>, _ initial: KeptState
    ) -> Result<KeptState, Problem> {
        switch past {
        case .failure(let failure): return .failure(Problem(failure))
        case .success(nil):
            return .failure(
                Problem(.revisionGone, "This revision is not kept any more; ask for a later one.")
                    .with("reason", "retention"))
        case .success(let past?):
            guard let state = past.kept(initial: initial) else {
                return .failure(Problem(.internalError, "The changes up to this revision do not fit one another."))
            }
            return .success(state)
        }
    }
}

extension PastState {
    /// The state as it would be kept; nil where the changes do not fit it.
    ///
    /// - Parameter initial: the one at revision 0.
    func kept(initial: KeptState) -> KeptState? {
        state(initial: initial.json).map { KeptState(json: $0.encoded(), hidden: hidden ?? initial.hidden) }
    }
}
