public import RemoteServices
public import Stores

/// Makes the middleware of an element of a definition.
@usableFromInline
struct MiddlewareMaker<State: Sendable>: Sendable {
    /// The handlers of the actions that it answers; nil for every action.
    @usableFromInline let actions: [ObjectIdentifier]?
    @usableFromInline let make: @Sendable (RemoteClients) -> any Middleware<State, StoreAction<State>>

    @usableFromInline
    init(
        actions: [ObjectIdentifier]? = nil,
        make: @escaping @Sendable (RemoteClients) -> any Middleware<State, StoreAction<State>>
    ) {
        self.actions = actions
        self.make = make
    }

    /// The middleware in a store of the definition. It asks for the state only after the actions that it answers.
    @inlinable
    func hosted(_ clients: RemoteClients) -> AnyMiddleware<DefinedState<State>, StoreAction<State>> {
        let middleware = make(clients).scoped(\DefinedState<State>.value, .whole)
        guard let actions else { return middleware }
        return AnyMiddleware(
            respond: { commit in
                let action = commit.actionPlace.withMemoryRebound(to: InPlace<StoreAction<State>>.self, capacity: 1) {
                    $0.pointee.pass { ObjectIdentifier($0.handler) }
                }
                for id in actions where id == action { return middleware.answer(commit) }
                return .none
            },
            resume: middleware.resumeAnswer, isGone: middleware.isGone, look: middleware.look, check: middleware.check)
    }
}
