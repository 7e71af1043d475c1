import JSON
import Locks
package import StoreHosting
import Stores

/// Finds earlier states of sessions. Those that were replayed last are remembered, if they are long.
final class PastStates: Sendable {
    private struct Moment: Hashable {
        let session: Session
        let revision: Int
    }

    private let reads: StorageReads
    private let replays = SharedWork<Moment, PastState>()
    // Guards the remembered states. Nothing is called while it is held.
    private let remembered = Locked(ByteCache<ObjectRevision, PastState>(maxBytes: 128 << 20))

    /// Names a session without keeping it.
    private struct ObjectRevision: Hashable {
        let session: ObjectIdentifier
        let revision: Int
    }

    init(_ reads: StorageReads) { self.reads = reads }

    /// The state at a revision that is durable.
    package func state(of session: Session, at revision: Int) async throws(SessionFailure) -> PastState {
        let key = ObjectRevision(session: ObjectIdentifier(session), revision: revision)
        // A new session may have the address of one that is gone, so compare the object too.
        if let known = remembered.withLock({ $0[key] }), known.session === session { return known }
        return try await replays.value(of: Moment(session: session, revision: revision)) {
            (_) async throws(SessionFailure) in
            let turn = try await reads.turn(of: .session(session.id))
            defer { withExtendedLifetime(turn) {} }
            let state = PastState(session, try await session.replay(to: revision))
            if state.isWorthKeeping {
                remembered.withLock { $0.insert(state, for: key, bytes: state.byteCount) }
            }
            return state
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
    package func revisionGone(
        in journal: any SessionJournal, _ cause: (_ oldest: Int) -> SessionFailure.Stored
    ) async -> SessionFailure {
        do throws(JournalError) {
            return .stored(cause(try await journal.oldestRevision()))
        } catch {
            return .unavailable(.storage(error))
        }
    }

    /// Why what is stored of the session cannot be read. Its end deletes that.
    package func failure(_ failure: JournalError) -> SessionFailure {
        hasEnded ? .absent(.endedMeanwhile) : .unavailable(.storage(failure))
    }
}
