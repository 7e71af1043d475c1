public import JSON

/// An earlier state: one that was kept, and what was changed in it since.
public struct PastState: Sendable {
    /// The state that was kept, as JSON; nil for the one at revision 0, which whoever asks has.
    public let snapshot: [UInt8]?
    /// What the commits after it changed.
    public let changes: [StatePatch]
    /// What only the store knows of the state, as JSON, its secrets sealed; nil where that is as at revision 0.
    public let hidden: [UInt8]?

    /// An earlier state.
    public init(snapshot: [UInt8]?, changes: [StatePatch], hidden: [UInt8]?) {
        self.snapshot = snapshot
        self.changes = changes
        self.hidden = hidden
    }

    /// The state; nil where the changes do not fit the snapshot, which no store lets happen.
    ///
    /// - Parameter initial: the state at revision 0, as JSON.
    public func state(initial: [UInt8]) -> JSONValue? {
        guard var state = try? JSONValue(parsing: snapshot ?? initial, maximumDepth: JSONValue.deepestNesting) else {
            return nil
        }
        for patch in changes where !patch.isEmpty {
            guard let next = patch.applied(to: state) else { return nil }
            state = next
        }
        return state
    }
}
