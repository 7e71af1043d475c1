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

    /// Members whose ids are `ActorID`s, as those of an `EntityTable` or the keys of a dictionary.
    ///
    /// - Parameter ids: the members of a state.
    public init<IDs: Sequence>(_ ids: @escaping @Sendable (State) -> IDs)
    where IDs.Element == ActorID, IDs: SendableMetatype, IDs.Iterator: SendableMetatype {
        list = MemberIDs { state, add in for id in ids(state) where !add(id) { return } }
    }

    /// Members whose ids are texts.
    ///
    /// - Parameter ids: the members of a state.
    public init<IDs: Sequence>(_ ids: @escaping @Sendable (State) -> IDs)
    where IDs.Element == String, IDs: SendableMetatype, IDs.Iterator: SendableMetatype {
        list = MemberIDs { state, add in for id in ids(state) where !add(ActorID(id)) { return } }
    }

    /// Members whose ids are parts of texts.
    ///
    /// - Parameter ids: the members of a state.
    public init<IDs: Sequence>(_ ids: @escaping @Sendable (State) -> IDs)
    where IDs.Element == Substring, IDs: SendableMetatype, IDs.Iterator: SendableMetatype {
        list = MemberIDs { state, add in for id in ids(state) where !add(ActorID(String(id))) { return } }
    }

    public func add(to elements: inout StoreElements<State>) { elements.memberIDs.append(list) }
}

extension MemberIDs {
    /// For the state that a host encodes.
    @usableFromInline
    var ofDefinedState: MemberIDs<DefinedState<State>> {
        MemberIDs<DefinedState<State>> { [visit] state, add in FaultNote.namingMembers { visit(state.value, add) } }
    }
}

extension StoreElements {
    /// The errors in what names the members of a session.
    var memberIDProblems: [String] { memberIDs.count > 1 ? ["The definition has more than one Members."] : [] }

    /// The members of a state that a host encodes; nil if the definition names none.
    @usableFromInline var hostedMemberIDs: MemberIDs<DefinedState<State>>? { memberIDs.first?.ofDefinedState }
}
