import JSON
import Locks
package import StoreHosting
import Stores

/// An earlier state of a session. The forks that begin with it share its memory.
package final class PastState: Sendable {
    private struct Decoded {
        let state: RestoredState
        /// The state as the first fork has encoded it.
        var json: [UInt8]?
    }

    let snapshot: StateSnapshot
    package weak let session: Session?
    // Guards the decoded state. The state is decoded and encoded while it is held, so that this is done once.
    private let decoded = Locked<Decoded?>(nil)

    init(_ session: Session, _ snapshot: StateSnapshot) {
        self.session = session
        self.snapshot = snapshot
    }

    /// Whether it is worth the memory: a short one is soon replayed again.
    var isWorthKeeping: Bool { snapshot.json.count >= 65_536 }

    /// About how many bytes it takes: as JSON, decoded, and encoded for a fork.
    package var byteCount: Int { 4 * snapshot.json.count }

    /// A store that begins with the state at its revision 0.
    ///
    /// - Parameter label: names the session in the log.
    package func makeStore(
        of kind: KindRuntime, _ recorder: (any CommitRecorder)?, label: String
    ) throws(SessionFailure) -> HostedStore {
        try decoded.withLock { (decoded) throws(SessionFailure) in
            var known = if let decoded { decoded } else { Decoded(state: try kind.restored(snapshot)) }
            let store = known.state.makeStore(
                environment: kind.environment, recorder: recorder, revision: 0,
                maxStateBytes: kind.limits.maxStateBytes, label: label, json: known.json)
            known.json = known.json ?? store.read().json
            decoded = known
            return store
        }
    }
}
