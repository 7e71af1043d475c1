import JSON
import Stores

/// The baseline for the next diff of a restored state. The stores that begin with the state share it.
@usableFromInline
struct RestoredBaseline: Sendable {
    let encoded: EncodedBaseline
    /// The size of the state as JSON, or about that.
    let byteCount: Int
    let privateState: [UInt8]
    /// The migration that made the state; nil if it is as it was persisted.
    let migration: PendingMigration?

    @usableFromInline
    init<State: DiffableState>(
        of state: State, byteCount: Int, _ encoder: StateEncoder<State>, _ sealer: (any SecretSealer)?,
        _ migration: PendingMigration?
    ) throws(RestorationError) {
        self.byteCount = byteCount
        do throws(EncodingFailure) {
            encoded = try EncodedBaseline(of: state, like: encoder.initialBaseline)
        } catch {
            throw .unreadable(.state, at: "", "cannot be encoded again. \(error)")
        }
        privateState = withUnsafePointer(to: state) { encoder.privateState(of: $0, .inMemory(sealer)) } ?? []
        self.migration = migration
    }
}

extension JSONValue.PrivateEncoder.Secrets {
    /// The secrets of a baseline: in clear if they are persisted at all.
    static func inMemory(_ sealer: (any SecretSealer)?) -> Self { sealer == nil ? .leftOut : .clear }
}

/// The record of a host about one store: its newest state as JSON, which is the baseline of the next diff, and the
/// commits of the newest dispatch.
///
/// The store's lock guards it. The compiler's own checks of access are off, because they would cost more than the accesses.
@usableFromInline
final class HostBookkeeping {
    /// The newest state as JSON if it was asked for, and the baseline does not have it.
    var encoding: StateEncoding?
    /// The commits of the newest dispatch that committed something.
    @exclusivity(unchecked) private(set) var commits: [CommitRecord] = []
    /// The record of the dispatch in progress, which is persisted with its commits.
    var record: DispatchRecord?
    /// The migration that becomes the first commit when the store resumes.
    var pendingMigration: PendingMigration?
    @exclusivity(unchecked) private(set) var hasOpenTransaction = false
    @exclusivity(unchecked) private var baseline: EncodedBaseline
    /// The revision of the state that the baseline is of.
    @exclusivity(unchecked) var baselineRevision: Int
    /// The private part of the newest state as JSON, its secrets in clear if they are persisted at all.
    private var privateBaseline: [UInt8]
    /// The members of the newest state, as ``MemberIDs`` finds them; empty if the kind names none.
    var members: [ActorID] = []
    /// The members of the newest state that the dispatch in progress has made, committed or not; nil if it has made none.
    var proposedMembers: [ActorID]?
    /// The size of the newest state.
    @exclusivity(unchecked) var size: StateSize
    private var lastReportedLosses: [ActionLoss: Int] = [:]

    /// - Parameters:
    ///   - baseline: of the state before the first commit.
    ///   - revision: of that state.
    ///   - byteCount: the size of that state as JSON.
    ///   - privateBaseline: the private part of that state.
    init(_ baseline: EncodedBaseline, at revision: Int, byteCount: Int, privateBaseline: [UInt8]) {
        self.baseline = baseline
        baselineRevision = revision
        size = StateSize(byteCount)
        self.privateBaseline = privateBaseline
    }

    /// The whole state at `revision` as JSON, if the newest diff has written it.
    func text(at revision: Int) -> [UInt8]? {
        baselineRevision == revision && baseline.isComplete ? baseline.text : nil
    }

    /// Finds the changes of the state, which is now at `revision`, since the last call.
    func findChanges(at revision: Int, _ visit: (inout StateDiffer) -> Void) -> DiffResult {
        let found = baseline.update(visit)
        // The state is in place, so the action cannot be rejected any more. Showing and persisting anything else than the state
        // would lose data, without anybody's notice.
        if let failure = found.failure { fatalError(failure) }
        baselineRevision = revision
        size.grow(by: found.growth)
        return found
    }

    /// By how many bytes `state`, which is not committed, is larger than the newest state, or more.
    func growth(to state: some DiffableState) -> Int {
        changes(to: state).growth
    }

    /// - Returns: whether the private part differs from that of the state before.
    func updatePrivateBaseline(_ members: borrowing JSONValue.PrivateEncoder) -> Bool {
        members.json.withBytes { new in
            if privateBaseline.withUnsafeBytes({ EncodedBaseline.areEqual($0, UnsafeRawBufferPointer(new)) }) {
                return false
            }
            privateBaseline = Array(new)
            return true
        }
    }

    /// The patch from the newest state to `state`, which is not committed; nil if `state` cannot be encoded.
    func previewPatch(to state: some DiffableState) -> EncodedPatch? {
        let found = changes(to: state)
        return found.failure == nil ? found.patch : nil
    }

    /// The changes from the newest state to `state`, which is not committed.
    private func changes(to state: some DiffableState) -> DiffResult {
        var copy = baseline
        return copy.update(state.findChanges)
    }

    /// Whether to report an action that is lost now: one report a minute for each bound, because a client can repeat
    /// the cause.
    func reportsLoss(at bound: ActionLoss, at moment: Int) -> Bool {
        if let last = lastReportedLosses[bound], moment - last < 60_000 { return false }
        lastReportedLosses[bound] = moment
        return true
    }

    func recordCommit(_ record: CommitRecord) {
        // One by one: nearly always there is one, and `removeAll(keepingCapacity:)` takes three times as long for it.
        if !hasOpenTransaction { while commits.popLast() != nil {} }
        hasOpenTransaction = true
        commits.append(record)
    }

    /// Ends the dispatch in progress.
    ///
    /// - Parameters:
    ///   - revision: of the store now.
    ///   - nextDeadline: when the next timer is due.
    ///   - members: those of the state now, if they were not proposed; nil if the kind names none.
    /// - Returns: nil if there is nothing to persist.
    func takeTransaction(
        at revision: Int, nextDeadline: Int?, orMembers members: @autoclosure () -> [ActorID]?
    ) -> CommitTransaction? {
        let proposed = proposedMembers
        if proposed != nil { proposedMembers = nil }
        defer { size.endDispatch(hasCommitted: hasOpenTransaction) }
        guard hasOpenTransaction || record != nil else { return nil }
        let commits = hasOpenTransaction ? commits : []
        defer { (hasOpenTransaction, record) = (false, nil) }
        var change: MemberChange?
        if hasOpenTransaction, let newMembers = proposed ?? members() {
            change = MemberChange(from: self.members, to: newMembers)
            self.members = newMembers
        }
        return CommitTransaction(
            baseRevision: revision - commits.count, commits: commits, record: record,
            nextDeadline: nextDeadline, members: change)
    }
}
