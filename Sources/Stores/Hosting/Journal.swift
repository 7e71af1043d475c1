public import JSON

/// Keeps what sessions committed: the port between a server and the place where its history rests.
public protocol Journal: Sendable {
    /// Makes room for a new session's commits, which go when it is forgotten.
    func open(_ session: String) -> any SessionJournal
}

/// The commits of one session at rest.
public protocol SessionJournal: ActionRecorder {
    /// The commits behind `revision`, oldest first, `limit` of them at most; nil where the first is no longer kept.
    func entries(after revision: Int, limit: Int) -> [ActionRecord]?

    /// From where the state at `revision`, which is not beyond the newest commit, can be made again; nil where that is no
    /// longer kept.
    func past(_ revision: Int) -> PastState?
}

/// An earlier state: one that was kept, and what was changed in it since.
public struct PastState: Sendable {
    /// The state that was kept, as JSON; nil for the one at revision 0.
    public let snapshot: [UInt8]?
    /// What the commits after it changed.
    public let changes: [StatePatch]

    /// An earlier state.
    public init(snapshot: [UInt8]?, changes: [StatePatch]) {
        self.snapshot = snapshot
        self.changes = changes
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
