package import JSON

/// A persisted state: the part that clients see, and the private part.
@usableFromInline
package struct StateSnapshot: Sendable, Equatable {
    /// The part that clients see, as JSON.
    @usableFromInline
    package var json: [UInt8]
    /// The private part as JSON, its secrets sealed; nil if there is none.
    package var privateState: [UInt8]?

    /// A persisted state.
    package init(json: [UInt8], privateState: [UInt8]? = nil) {
        self.json = json
        self.privateState = privateState
    }
}

/// The data from which an earlier state is replayed: a snapshot, and the patches of the commits after it.
@usableFromInline
package struct ReplayableState: Sendable {
    /// The snapshot as JSON; nil for the state at revision 0, which the caller has.
    package let snapshot: [UInt8]?
    /// The JSON Patches (RFC 6902) of the commits after the snapshot, in UTF-8. They are parsed only when the state is
    /// made.
    package let patches: [[UInt8]]
    /// The private state as JSON, its secrets sealed; nil if it is as at revision 0.
    package let privateState: [UInt8]?

    /// A state that is made from `snapshot` and `patches`.
    package init(snapshot: [UInt8]?, patches: [[UInt8]], privateState: [UInt8]?) {
        self.snapshot = snapshot
        self.patches = patches
        self.privateState = privateState
    }

    /// Makes the state; nil if a patch does not fit, which means that the data is damaged.
    ///
    /// - Parameter initial: the state at revision 0, as JSON.
    package func state(initial: [UInt8]) -> JSONValue? {
        do {
            var state = try JSONValue(parsing: snapshot ?? initial, maximumDepth: JSONValue.maxDepth)
            for patch in patches {
                let json = try JSONValue(parsing: patch, maximumDepth: JSONValue.maxDepth)
                try state.replay(JSONPatch(json))
            }
            return state
        } catch {
            return nil
        }
    }

    /// The state as a journal stores it; nil if a patch does not fit.
    ///
    /// - Parameter initial: the state at revision 0.
    package func snapshot(initial: StateSnapshot) -> StateSnapshot? {
        state(initial: initial.json).map {
            StateSnapshot(json: $0.encoded(), privateState: privateState ?? initial.privateState)
        }
    }
}
