import RemoteServices
public import Stores

extension StoreElements {
    /// Fills in the values that the server knows; empty if no action has such a field.
    ///
    /// It is for a store of the state, or of a state that contains it.
    @usableFromInline
    func filling<Whole: Sendable>(of state: Whole.Type = State.self) -> [AnyMiddleware<Whole, StoreAction<State>>] {
        guard actions.contains(where: { $0.handler.filling != nil }) else { return [] }
        let middleware = AnyMiddleware<Whole, StoreAction<State>>(
            intercept: { action, _, context in
                guard action.handler.filling != nil else { return .pass }
                do throws(Rejection) {
                    return .replace(try action.filled(context))
                } catch {
                    return .reject(error)
                }
            }, onlyWatches: true)
        return [middleware]
    }

    /// The middlewares of a store that is hosted. Values are filled in before all others see an action, and after them, because they
    /// may make an action of their own.
    @inlinable
    func hostedMiddleware(_ clients: RemoteClients) -> MiddlewareStack<DefinedState<State>, StoreAction<State>> {
        let made = makers.map { $0.hosted(clients) }
        let filling = filling(of: DefinedState<State>.self)
        return MiddlewareStack(
            [], filling + made + (made.contains { $0.interceptFunction != nil } ? filling : []),
            access: actingAccess)
    }
}
