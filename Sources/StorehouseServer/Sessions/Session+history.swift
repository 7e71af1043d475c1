import StoreHosting
import Stores

extension Session {
    /// Reads the state at a revision: a snapshot, and the commits since.
    ///
    /// - Parameter done: called once, on any thread.
    func state(at revision: Int, done: @escaping @Sendable (Result<StateSnapshot, Problem>) -> Void) {
        let newest = store.revision
        guard revision <= newest else {
            return done(
                .failure(Problem(.noSuchRevision, "The session is at revision \(newest); no later one exists yet.")))
        }
        guard let journal else {
            return done(.failure(Problem(.notImplemented, "This server stores no earlier states.")))
        }
        let initial = initial
        whenDurable(through: newest) { failure in
            if let failure { return done(.failure(Problem(failure))) }
            journal.replayBase(for: revision) { done(Self.state($0, initial)) }
        }
    }

    /// Whether an earlier state can be shown again with the same bytes.
    var canReplayStates: Bool { journal != nil && kind.isRestorable }

    /// The selected value of a state of this session, with the same bytes as when the store showed it.
    func encodeAsShown(_ selection: Selection, of state: StateSnapshot) -> Result<[UInt8], Problem> {
        do throws(RestorationError) {
            return .success(try kind.encodeAsShown(selection, of: state, sealer: runtime.sealer))
        } catch {
            return .failure(
                Problem(.internalError, "This release of the store cannot read the revision: \(error)."))
        }
    }

    private static func state(
        _ found: Result<ReplayableState?, JournalError>, _ initial: StateSnapshot
    ) -> Result<StateSnapshot, Problem> {
        switch found {
        case .failure(let failure): return .failure(Problem(failure))
        case .success(nil):
            return .failure(
                Problem(.revisionGone, "This revision is no longer stored; ask for a later one.")
                    .with("reason", "retention"))
        case .success(let past?):
            guard let state = past.snapshot(initial: initial) else {
                return .failure(Problem(.internalError, "The stored commits up to this revision do not fit together."))
            }
            return .success(state)
        }
    }
}

extension ReplayableState {
    /// The state as a journal stores it; nil if the commits do not fit the snapshot.
    ///
    /// - Parameter initial: the state at revision 0.
    func snapshot(initial: StateSnapshot) -> StateSnapshot? {
        state(initial: initial.json).map {
            StateSnapshot(json: $0.encoded(), privateState: privateState ?? initial.privateState)
        }
    }
}
