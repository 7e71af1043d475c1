import JSON
import Locks
import Stores

extension Session {
    /// The selected value as it was at a revision: made of a kept state and the changes since.
    func past(_ revision: Int, _ selection: Selection) throws(Problem) -> EncodedState {
        let present = store.read(selection)
        if revision == present.revision { return present }
        guard revision < present.revision else {
            throw Problem(
                .noSuchRevision, "The session is at revision \(present.revision); there is none beyond it yet.")
        }
        guard let journal else { throw Problem(.notImplemented, "This server keeps no earlier states.") }
        let found = Locked<PastState?>(nil)
        journal.past(revision) { past in found.withLock { $0 = try? past.get() } }
        guard let state = found.withLock(\.self)?.state(initial: kind.initialState) else {
            throw Problem(.revisionGone, "This revision is not kept any more; ask for a later one.")
                .with("reason", "retention")
        }
        return EncodedState(revision: revision, json: try Self.select(selection, of: state))
    }

    private static func select(_ selection: Selection, of state: JSONValue) throws(Problem) -> [UInt8] {
        switch selection {
        case .whole: return state.encoded()
        case .pointer(let pointer): return (pointer.value(in: state) ?? .null).encoded()
        case .named(let name):
            throw Problem(
                .notImplemented, "\(name) is computed of the present state only; select earlier values by a pointer.")
        }
    }
}
