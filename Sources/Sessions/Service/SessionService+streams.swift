import Locks
import StoreHosting

// Event streams.
extension SessionService {
    /// More missed commits than this are not replayed: the stream begins with the state.
    private static let maxMissedCommits = 4096

    /// On the loop of the stream.
    package func subscribe(
        _ wanted: SessionOperation.Subscribing, to session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        let subscription = try wanted.subscription(of: session.kind)
        guard let revision = wanted.revisionMissingFromBuffer(of: session), let journal = session.journal else {
            return .now(try session.subscribe(wanted, to: subscription))
        }
        return .later { [reads] () async throws(SessionFailure) in
            let turn = try await reads.turn(of: session.id)
            // Without these commits the stream begins with the state.
            let missed = try? await journal.commits(after: revision, limit: Self.maxMissedCommits)
            return try session.subscribe(wanted, to: subscription, earlier: missed ?? [], in: turn)
        }
    }
}

extension SessionOperation.Subscribing {
    /// The revision after which commits must be read from the journal's storage; nil if its buffer has all of them, or they are not
    /// needed.
    fileprivate func revisionMissingFromBuffer(of session: Session) -> Int? {
        guard format.showsPatches, let seen, seen.historyID == session.historyID, let journal = session.journal,
            seen.revision < session.store.revision, journal.bufferedCommits(after: seen.revision, limit: 1) == nil
        else { return nil }
        return seen.revision
    }
}

extension Session {
    fileprivate func subscribe(
        _ wanted: SessionOperation.Subscribing, to subscription: StreamSubscription, earlier: [CommitRecord] = [],
        in turn: StorageReads.Turn? = nil
    ) throws(SessionFailure) -> SessionResult {
        // The loop may have ended while the commits were read.
        guard let stream = wanted.stream.valueIfCurrent else { throw .unavailable(.draining) }
        let initial = try events.subscribe(
            stream, on: wanted.loop, to: subscription, seen: wanted.seen, earlier: earlier, within: wanted.limits)
        return SessionResult(.subscribed(initial, turn), of: self, at: initial.revision)
    }
}
