import JSON
import Locks
import StoreHosting
import Stores

/// Finds earlier states of sessions. Those that were replayed last are remembered, if they are large.
final class PastStates: Sendable {
    private struct Moment: Hashable {
        let session: Session
        let revision: Int
    }

    private let replays = SharedWork<Moment, PastState>()
    // Guards the remembered states. Nothing is called while it is held.
    private let remembered = Locked(ByteCache<ObjectRevision, PastState>(maxBytes: 128 << 20))

    /// Names a session without keeping it.
    private struct ObjectRevision: Hashable {
        let session: ObjectIdentifier
        let revision: Int
    }

    /// The state at a revision that is durable.
    func state(of session: Session, at revision: Int) async throws(SessionFailure) -> PastState {
        let key = ObjectRevision(session: ObjectIdentifier(session), revision: revision)
        // A new session may have the address of one that is gone, so compare the object too.
        if let known = remembered.withLock({ $0[key] }), known.session === session { return known }
        return try await replays.value(of: Moment(session: session, revision: revision)) {
            (_) async throws(SessionFailure) in
            let state = PastState(session, try await session.replay(to: revision))
            if state.isLarge {
                remembered.withLock { $0.insert(state, for: key, bytes: state.byteCount) }
            }
            return state
        }
    }
}

/// An earlier state of a session. The forks that begin with it share its memory.
final class PastState: Sendable {
    private struct Decoded {
        let state: RestoredState
        /// The state as the first fork has encoded it.
        var json: [UInt8]?
    }

    let snapshot: StateSnapshot
    fileprivate weak let session: Session?
    // Guards the decoded state. The state is decoded and encoded while it is held, so that this is done once.
    private let decoded = Locked<Decoded?>(nil)

    init(_ session: Session, _ snapshot: StateSnapshot) {
        self.session = session
        self.snapshot = snapshot
    }

    /// Whether to remember it: a small one is soon replayed again.
    var isLarge: Bool { snapshot.json.count >= 65_536 }

    /// About how many bytes it takes: as JSON, decoded, and encoded for a fork.
    fileprivate var byteCount: Int { 4 * snapshot.json.count }

    /// A store that begins with the state at its revision 0.
    ///
    /// - Parameter label: names the session in the log.
    func makeStore(
        of kind: KindRuntime, _ recorder: (any CommitRecorder)?, label: String
    ) throws(SessionFailure) -> HostedStore {
        try decoded.withLock { (decoded) throws(SessionFailure) in
            var known = if let decoded { decoded } else { Decoded(state: try kind.restored(snapshot)) }
            let store = known.state.makeStore(
                environment: kind.environment, recorder: recorder, revision: 0,
                maxStateBytes: kind.limits.maxStateBytes, label: label, json: known.json)
            known.json = known.json ?? store.read().json
            decoded = known
            return store
        }
    }
}

extension Session {
    /// Reads the state at a revision: a snapshot, and the commits since.
    fileprivate func replay(to revision: Int) async throws(SessionFailure) -> StateSnapshot {
        guard let journal else { throw .stored(.noEarlierStates) }
        let past: ReplayableState?
        do throws(JournalError) {
            past = try await journal.replayBase(for: revision)
        } catch {
            throw failure(error)
        }
        guard let past else { throw await revisionGone(in: journal) { .goneRevision(oldest: $0) } }
        guard let state = past.snapshot(initial: initial) else { throw .stored(.contradiction) }
        return state
    }

    /// Retention has deleted what a client asks for. The failure names the oldest revision that is still there.
    func revisionGone(
        in journal: any SessionJournal, _ cause: (_ oldest: Int) -> SessionFailure.Stored
    ) async -> SessionFailure {
        do throws(JournalError) {
            return .stored(cause(try await journal.oldestRevision()))
        } catch {
            return .unavailable(.storage(error))
        }
    }

    /// Why what is stored of the session cannot be read. Its end deletes that.
    func failure(_ failure: JournalError) -> SessionFailure {
        hasEnded ? .absent(.endedMeanwhile) : .unavailable(.storage(failure))
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
