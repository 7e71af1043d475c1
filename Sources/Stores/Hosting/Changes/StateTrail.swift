/// What a host keeps of a store: its newest state as JSON, what has changed, and the commits of the newest batch.
///
/// Belongs to the contents that the store's lock guards.
@usableFromInline
final class StateTrail {
    /// The newest state as JSON, where somebody has asked for it.
    @usableFromInline var encoding: StateEncoding?
    /// The newest commit, and those of its batch before it.
    @usableFromInline private(set) var commits: [ActionRecord] = []
    private var isBatchOver = true
    private var trace: StateTrace

    /// - Parameter trace: of the state as it was before the first commit.
    @usableFromInline
    init(_ trace: StateTrace) { self.trace = trace }

    /// What has changed in the state since this was asked for last.
    @usableFromInline
    func changes(in state: some HostedState) -> StatePatch {
        var finder = ChangeFinder(trace)
        // Kept by the finder alone, it is changed in place.
        trace = StateTrace()
        state.findChanges(&finder)
        trace = finder.trace
        return finder.patch
    }

    /// What would have changed, if this were the state.
    @usableFromInline
    func outlook(on state: some HostedState) -> StatePatch {
        var finder = ChangeFinder(trace)
        state.findChanges(&finder)
        return finder.patch
    }

    @usableFromInline
    func note(_ record: ActionRecord, endsBatch: Bool) {
        if isBatchOver { commits.removeAll(keepingCapacity: true) }
        commits.append(record)
        isBatchOver = endsBatch
    }
}
