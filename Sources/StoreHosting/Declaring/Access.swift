public import Stores

/// Decides who besides the owner may use a session, from its state.
///
///     Access { room, actor in room.members.contains(actor.id) ? [.read, .act] : [] }
///
/// A server in token mode calls it for each request of a user whose session it is not and whose token does not list it, in one step
/// with the reducer or the selector, and after each commit once for each such user with an open stream. It must be quick, and must
/// only read. A definition has at most one, and without it only its owner may use a session. A store without a server does not call
/// it: see ``StoreDefinition/rights(of:in:)``.
public struct Access<State: Sendable>: StoreElement {
    @usableFromInline let rights: @Sendable (State, Actor) -> AccessRights

    /// A decision about access.
    ///
    /// - Parameter rights: what a state lets an actor do; empty for nothing.
    public init(_ rights: @escaping @Sendable (_ state: State, _ actor: Actor) -> AccessRights) {
        self.rights = rights
    }

    public func add(to elements: inout StoreElements<State>) { elements.accesses.append(self) }
}

extension StoreElements {
    /// The errors in the number of its accesses.
    var accessProblems: [String] {
        accesses.count > 1
            ? ["The definition has \(accesses.count) elements Access, but who has access is one question."] : []
    }

    /// The errors if it is a slice: one part of a state would decide over the whole.
    var accessProblemsOfSlice: [String] {
        accesses.isEmpty ? [] : ["A Part contains an Access, which belongs to the whole definition."]
    }

    /// The rights in a hosted state; nil if nobody but the owner has any.
    @usableFromInline var hostedAccess: StateEncoder<DefinedState<State>>.RightsFinder? {
        guard let access = accesses.first else { return nil }
        return { actor, state in
            FaultNote.namingAccess { access.rights(DefinedState.value(in: state).pointee, actor) }
        }
    }
}

extension StoreElements {
    /// Whether a hosted state lets an actor act; nil if that is not asked.
    @usableFromInline var actingAccess: MiddlewareStack<DefinedState<State>, StoreAction<State>>.Access? {
        guard let access = hostedAccess else { return nil }
        return { actor, state in access(actor, state).contains(.act) }
    }
}

extension StoreDefinition {
    /// The rights that a state gives to an actor who does not own the session, for tests; none without an ``Access``.
    public func rights(of actor: Actor, in state: State) -> AccessRights {
        access?.rights(state, actor) ?? []
    }
}
