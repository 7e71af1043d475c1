import Stores

/// How many members a session may have.
package enum MemberCount {
    package static let limit = 10_000
}

/// Finds the ids of the members of a state.
@usableFromInline
struct MemberIDs<State: Sendable>: Sendable {
    let visit: @Sendable (State, (ActorID) -> Bool) -> Void

    /// - Parameter visit: passes the ids of a state to a function, until that returns false.
    init(_ visit: @escaping @Sendable (State, (ActorID) -> Bool) -> Void) { self.visit = visit }

    /// The ids of the members, as ``members(of:limit:)`` has them. If the function ends the process, the last line names the store.
    func members(of state: State, limit: Int = .max, in names: FaultNames, _ label: FaultLabel) -> [ActorID] {
        FaultNote.naming(nil) {
            FaultNote.set(names, label)
            return members(of: state, limit: limit)
        }
    }

    /// The ids of the members, in the order of the function, and some of them twice if it gives them twice.
    ///
    /// - Parameter limit: if there are more members, one more than this is enough. It is ``MemberCount/limit`` at least.
    /// - Returns: no id twice if there are more ids than ``MemberCount/limit``.
    private func members(of state: State, limit: Int) -> [ActorID] {
        var found: [ActorID] = []
        // Most states have few members, which need not be told apart.
        var known: Set<ActorID>?
        visit(state) { id in
            if id.isEmpty { return true }
            if known == nil, found.count == MemberCount.limit {
                known = Set(found)
                found = Array(known ?? [])
            }
            guard known?.insert(id).inserted ?? true else { return true }
            found.append(id)
            return found.count <= limit
        }
        return found
    }
}
