/// What a host keeps of a store: its newest state as JSON, what has changed, and the commits of the newest batch.
///
/// Belongs to the contents that the store's lock guards.
@usableFromInline
final class StateTrail {
    /// The newest state as JSON, where somebody has asked for it.
    @usableFromInline var encoding: StateEncoding?
    /// The newest commit, and those of its batch before it.
    @usableFromInline private(set) var commits: [ActionRecord] = []
    /// Where the state came from, until the store goes on.
    @usableFromInline var arrival: Arrival?
    private var isBatchOver = true
    private var trace: StateTrace
    /// What the newest state hides, as JSON: its secrets in clear, where they are kept at all.
    private var hidden: [UInt8]

    /// - Parameters:
    ///   - trace: of the state as it was before the first commit.
    ///   - hidden: what that state hid.
    init(_ trace: StateTrace, hidden: [UInt8]) {
        self.trace = trace
        self.hidden = hidden
    }

    /// What has changed in the state since this was asked for last, and a writer to go on with.
    func changes(in state: some HostedState) -> Finding {
        var finder = ChangeFinder(trace)
        // Kept by the finder alone, it is changed in place.
        trace = StateTrace()
        state.findChanges(&finder)
        trace = finder.trace
        return finder.finish()
    }

    /// Remembers what the newest state hides.
    ///
    /// - Returns: whether that differs from what the one before hid.
    func notesHidden(_ members: borrowing HiddenMembers) -> Bool {
        members.json.withBytes { new in
            if hidden.withUnsafeBytes({ StateTrace.areEqual($0, UnsafeRawBufferPointer(new)) }) { return false }
            hidden = Array(new)
            return true
        }
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
