public import Stores

/// The ids of those who belong to a session, as a function of its state.
///
///     Members { room in room.members.ids }
///
/// In token mode a server lists the session to them: `GET /sessions` shows a subject the sessions that it owns or is a member of. The
/// list is up to date with each commit. Being a member gives no right to the session.
///
/// A definition has it at most once, among its own elements and not in a ``Part``. An id that occurs twice is one member, and an empty
/// one is nobody. Ids are the same if their bytes are.
///
/// A session has at most 10 000 members. An action that would make more is rejected with the reason `too-many-members`, so the function
/// is called for each action before it is committed. It must only read.
public struct Members<State: Sendable>: StoreElement {
    let list: MemberIDs<State>

    /// - Parameter ids: the members of a state.
    public init<IDs: Sequence>(_ ids: @escaping @Sendable (State) -> IDs)
    where IDs.Element == ActorID, IDs: SendableMetatype, IDs.Iterator: SendableMetatype {
        list = MemberIDs { state, add in for id in ids(state) where !add(id) { return } }
    }

    /// - Parameter ids: the members of a state.
    public init<IDs: Sequence>(_ ids: @escaping @Sendable (State) -> IDs)
    where IDs.Element == String, IDs: SendableMetatype, IDs.Iterator: SendableMetatype {
        list = MemberIDs { state, add in for id in ids(state) where !add(ActorID(id)) { return } }
    }

    /// - Parameter ids: the members of a state.
    public init<IDs: Sequence>(_ ids: @escaping @Sendable (State) -> IDs)
    where IDs.Element == Substring, IDs: SendableMetatype, IDs.Iterator: SendableMetatype {
        list = MemberIDs { state, add in for id in ids(state) where !add(ActorID(String(id))) { return } }
    }

    public func add(to elements: inout StoreElements<State>) { elements.memberIDs.append(list) }
}

/// How many members a session may have.
package enum MemberCount {
    package static let limit = 10_000
}

/// Finds the ids of the members of a state.
@usableFromInline
struct MemberIDs<State: Sendable>: Sendable {
    private let visit: @Sendable (State, (ActorID) -> Bool) -> Void

    /// - Parameter visit: passes the ids of a state to a function, until that returns false.
    init(_ visit: @escaping @Sendable (State, (ActorID) -> Bool) -> Void) { self.visit = visit }

    /// The ids of the members, in the order of the function, and some of them twice if it gives them twice.
    ///
    /// - Parameter limit: if there are more members, one more than this is enough.
    /// - Returns: more ids than `limit` only if there are as many members.
    func members(of state: State, limit: Int = .max) -> [ActorID] {
        var found: [ActorID] = []
        // Most states have few members, which need not be told apart.
        var known: Set<ActorID>?
        visit(state) { id in
            if id.isEmpty { return true }
            if known == nil, found.count == limit {
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

extension MemberIDs {
    /// For the state that a host encodes.
    @usableFromInline
    var ofDefinedState: MemberIDs<DefinedState<State>> {
        MemberIDs<DefinedState<State>> { [visit] state, add in visit(state.value, add) }
    }
}

extension StoreElements {
    /// The errors in what names the members of a session.
    var memberIDProblems: [String] { memberIDs.count > 1 ? ["The definition has more than one Members."] : [] }

    /// The members of a state that a host encodes; nil if the definition names none.
    @usableFromInline var hostedMemberIDs: MemberIDs<DefinedState<State>>? { memberIDs.first?.ofDefinedState }
}

/// How a commit changes the members of a session.
@usableFromInline
package final class MemberChange: Sendable {
    package let added: [ActorID]
    package let removed: [ActorID]

    package init(added: [ActorID], removed: [ActorID]) {
        self.added = added
        self.removed = removed
    }

    /// Nil if nothing has changed.
    convenience init?(from old: [ActorID], to new: [ActorID]) {
        if old == new { return nil }
        let (before, after) = (Set(old), Set(new))
        let (added, removed) = (after.subtracting(before), before.subtracting(after))
        if added.isEmpty, removed.isEmpty { return nil }
        self.init(added: Array(added), removed: Array(removed))
    }
}
