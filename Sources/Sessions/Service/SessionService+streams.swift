import StoreHosting
import Stores
import Threads

// Event streams.
extension SessionService {
    /// More missed commits than this are not replayed: the stream begins with the state.
    private static let maxMissedCommits = 4096
    private static let maxPortion = 128

    /// On the loop of the stream.
    ///
    /// - Parameters:
    ///   - principal: the credentials of the client.
    ///   - visitor: nil for a client that may read whatever the state is.
    func subscribe(
        _ wanted: SessionOperation.Subscribing, to session: Session, by principal: Credentials,
        of visitor: Actor? = nil
    ) throws(SessionFailure) -> Handling<SessionResult> {
        let subscription = try wanted.subscription(in: session, by: principal)
        let client: ClientKey? =
            if let id = wanted.client { ClientKey(id, try principal.clientScope(in: session)) } else { nil }
        guard let missed = wanted.commitsMissingFromBuffer(of: session, subscription), let journal = session.journal
        else { return .now(try session.subscribe(wanted, to: subscription, of: visitor, client)) }
        return .later { [reads] () async throws(SessionFailure) in
            let turn = try await reads.turn(of: .session(session.id))
            let earlier = await Self.read(missed, through: session.store.revision, from: journal)
            return try session.subscribe(wanted, to: subscription, of: visitor, client, earlier: earlier, in: turn)
        }
    }

    /// Reads missed commits in portions, since the events may be too long after a few. Without them the stream begins with the state.
    private static func read(
        _ empty: MissedCommits, through newest: Int, from journal: any SessionJournal
    ) async -> MissedCommits {
        var missed = empty
        var rest = maxMissedCommits
        if missed.showsActions {
            // As many of the newest actions as may be sent, and as the log has.
            let oldest = (try? await journal.oldestRevision()) ?? newest
            let first = max(oldest - 1, newest - maxMissedCommits)
            if first > missed.revision { missed.skip(to: first) }
        }
        while missed.wantsMore, case let count = min(rest, maxPortion), count > 0,
            let commits = try? await journal.commits(after: missed.revision, limit: count)
        {
            missed.add(commits)
            rest = commits.isEmpty || missed.revision >= newest ? 0 : rest - commits.count
        }
        return missed
    }
}

extension SessionOperation.Subscribing {
    /// The commits that must be read from the journal's storage; nil if its buffer has all of them, or they are not needed.
    fileprivate func commitsMissingFromBuffer(
        of session: Session, _ subscription: StreamSubscription
    ) -> MissedCommits? {
        let showsActions = shows.contains(.actions)
        let historyID = subscription.historyID ?? session.historyID
        guard format.showsPatches || showsActions, let seen, seen.historyID == historyID,
            let journal = session.journal, seen.revision < session.store.revision,
            journal.bufferedCommits(after: seen.revision, limit: 1) == nil
        else { return nil }
        return MissedCommits(
            subscription, shows, historyID: historyID, after: seen.revision,
            maxBytes: limits.maxMissedBytes)
    }
}

extension Session {
    fileprivate func subscribe(
        _ wanted: SessionOperation.Subscribing, to subscription: StreamSubscription, of visitor: Actor?,
        _ client: ClientKey?, earlier: MissedCommits? = nil, in turn: StorageReads.Turn? = nil
    ) throws(SessionFailure) -> SessionResult {
        // The loop may have ended while the commits were read.
        guard let stream = wanted.stream.valueIfCurrent else { throw .unavailable(.draining) }
        stream.visitor = visitor
        stream.sync = client.map(SyncReader.init)
        do throws(SessionFailure) {
            let initial = try events.subscribe(
                stream, on: wanted.loop, to: subscription, seen: wanted.seen, earlier: earlier, within: wanted.limits)
            return SessionResult(.subscribed(initial, turn), of: self, at: initial.revision)
        } catch {
            switch error {
            // A result, so that it is held until its reason is durable: the client will not come again.
            case .absent(.endedMeanwhile), .forbidden: return SessionResult(.refused(error), of: self)
            default: throw error
            }
        }
    }
}
