public import StoreHosting
public import StorehouseClient

extension RemoteStore {
    /// A live store without a network, for a preview of a view. The rules of the kind decide on each action at once.
    ///
    /// Effects and timers of the kind do not run.
    ///
    /// - Parameters:
    ///   - definition: the kind.
    ///   - state: the state at first.
    public static func preview(_ definition: StoreDefinition<State>, _ state: State) -> RemoteStore {
        ScriptedServer(definition, state).store()
    }

    /// A live store without a network and without a kind, for a preview of a view. It stays in its state: each action is refused.
    ///
    /// - Parameter state: the state.
    public static func preview(_ state: State) -> RemoteStore {
        preview(StoreDefinition("preview", "A state that stays.", state) {}, state)
    }
}
