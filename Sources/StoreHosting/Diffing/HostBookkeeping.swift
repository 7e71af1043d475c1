import JSON
import Stores

/// What a host remembers of one store: its newest state as JSON, the baseline of the next diff, and the commits of the
/// newest dispatch.
///
/// The store's lock guards it.
@usableFromInline
final class HostBookkeeping {
    /// The newest state as JSON, if it was asked for.
    var encoding: StateEncoding?
    /// The commits of the newest dispatch that committed something.
    private(set) var commits: [CommitRecord] = []
    /// The response to the dispatch in progress, which is persisted with its commits.
    var idempotencyRecord: IdempotencyRecord?
    /// The migration that becomes the first commit when the store resumes.
    var pendingMigration: PendingMigration?
    private var hasOpenTransaction = false
    private var baseline: EncodedBaseline
    /// The private part of the newest state as JSON, its secrets in clear if they are persisted at all.
    private var privateBaseline: [UInt8]

    /// - Parameters:
    ///   - baseline: of the state before the first commit.
    ///   - privateBaseline: the private part of that state.
    init(_ baseline: EncodedBaseline, privateBaseline: [UInt8]) {
        self.baseline = baseline
        self.privateBaseline = privateBaseline
    }

    /// Finds what has changed in the state since the last call.
    func findChanges(in state: some HostedState) -> DiffResult {
        var differ = StateDiffer(baseline)
        // The differ must hold the only reference, so that it changes the bytes in place.
        baseline = EncodedBaseline()
        state.findChanges(&differ)
        baseline = differ.baseline
        return differ.finish()
    }

    /// - Returns: whether the private part differs from that of the state before.
    func updatePrivateBaseline(_ members: borrowing PrivateStateEncoder) -> Bool {
        members.json.withBytes { new in
            if privateBaseline.withUnsafeBytes({ EncodedBaseline.areEqual($0, UnsafeRawBufferPointer(new)) }) {
                return false
            }
            privateBaseline = Array(new)
            return true
        }
    }

    /// The patch from the newest state to `state`, which is not committed.
    func previewPatch(to state: some HostedState) -> EncodedPatch {
        var differ = StateDiffer(baseline)
        state.findChanges(&differ)
        return differ.patch
    }

    func recordCommit(_ record: CommitRecord) {
        if !hasOpenTransaction { commits.removeAll(keepingCapacity: true) }
        hasOpenTransaction = true
        commits.append(record)
    }

    /// Ends the dispatch in progress.
    ///
    /// - Parameters:
    ///   - revision: of the store now.
    ///   - nextDeadline: when the next timer is due.
    /// - Returns: nil if there is nothing to persist.
    func takeTransaction(at revision: Int, nextDeadline: Int?) -> CommitTransaction? {
        guard hasOpenTransaction || idempotencyRecord != nil else { return nil }
        let commits = hasOpenTransaction ? commits : []
        defer { (hasOpenTransaction, idempotencyRecord) = (false, nil) }
        return CommitTransaction(
            baseRevision: revision - commits.count, commits: commits, idempotencyRecord: idempotencyRecord,
            nextDeadline: nextDeadline)
    }
}
