public import Stores

/// The actions of a definition, each with its followers and the invariants. A timer or a middleware can send others, which have no
/// type and so no place in the action log.
@usableFromInline
struct DefinedActions<State: Sendable>: Sendable {
    // Searched in order, because few ids are found faster so than by their hashes.
    @usableFromInline let ids: [ObjectIdentifier]
    @usableFromInline let handlers: [ActionHandler<State>]

    @inlinable
    init(_ elements: StoreElements<State>) {
        ids = elements.actions.map { ObjectIdentifier($0.handler) }
        handlers = elements.actions.indices.map { elements.completeHandler(at: $0) }
    }

    /// The place of an action; nil if the definition does not contain it.
    @inlinable
    func place(of action: StoreAction<State>) -> Int? {
        let id = ObjectIdentifier(action.handler)
        return ids.firstIndex { $0 == id }
    }

    @inlinable
    func decide(_ action: StoreAction<State>, in state: State) -> Decision {
        guard let place = place(of: action) else { return refuse(action) }
        return withUnsafePointer(to: state) { handlers[place].decide(action.values, $0) }
    }

    @inlinable
    func reduce(_ state: inout State, _ action: StoreAction<State>) {
        if let place = place(of: action) { handlers[place].reduce(action.values, &state) }
    }

    @inlinable
    func apply(_ action: StoreAction<State>, to state: inout State) -> Decision {
        guard let place = place(of: action) else { return refuse(action) }
        let handler = handlers[place]
        let decision = withUnsafePointer(to: &state) { handler.decide(action.values, $0) }
        if case .accept = decision { handler.reduce(action.values, &state) }
        return decision
    }

    @usableFromInline
    func refuse(_ action: StoreAction<State>) -> Decision { .reject(.undeclaredAction(action.handler.name)) }
}

extension StoreElements {
    /// The handler of an action with its followers and the invariants; its own handler if there are none.
    @inlinable
    func completeHandler(at place: Int) -> ActionHandler<State> {
        let handler = actions[place].handler
        let followers = followers.filter { $0.action == ObjectIdentifier(handler) }
        guard !followers.isEmpty || !invariants.isEmpty else { return handler }
        let first = followers.filter { $0.place <= place }.map { $0.change }
        let last = (followers.filter { $0.place > place && !$0.isLast } + followers.filter { $0.isLast }).map {
            $0.change
        }
        let reduce: @Sendable (AnyObject, inout State) -> Void = { values, state in
            for follow in first { follow(values, &state) }
            handler.reduce(values, &state)
            for follow in last { follow(values, &state) }
        }
        return ActionHandler(
            name: handler.name, payload: handler.payload, clearPayload: handler.clearPayload,
            decide: invariants.isEmpty ? handler.decide : checked(handler.decide, reduce), reduce: reduce,
            filling: handler.filling, extent: followers.isEmpty ? handler.extent : nil, origin: handler.origin)
    }

    /// Tries an accepted action on a copy of the state, and rejects it if that breaks an invariant.
    @inlinable
    func checked(
        _ decide: @escaping ActionHandler<State>.Decide, _ reduce: @escaping @Sendable (AnyObject, inout State) -> Void
    ) -> ActionHandler<State>.Decide {
        { [invariants] values, state in
            let decision = decide(values, state)
            guard case .accept = decision else { return decision }
            var next = state.pointee
            reduce(values, &next)
            guard let broken = invariants.first(where: { !$0.holds(next) }) else { return .accept }
            return .reject(Rejection(broken.name, isFault: true))
        }
    }
}

/// Reduces each action of a definition by the action's own rules.
@usableFromInline
struct DefinedReducer<State: Sendable>: Reducer {
    @usableFromInline let actions: DefinedActions<State>

    @inlinable
    init(_ actions: DefinedActions<State>) { self.actions = actions }

    @inlinable
    func decide(_ action: StoreAction<State>, in state: DefinedState<State>) -> Decision {
        actions.decide(action, in: state.value)
    }

    @inlinable
    func reduce(_ state: inout DefinedState<State>, _ action: StoreAction<State>) {
        actions.reduce(&state.value, action)
    }

    @inlinable
    func apply(_ action: StoreAction<State>, to state: inout DefinedState<State>) -> Decision {
        actions.apply(action, to: &state.value)
    }
}

/// Reduces each action of a definition by the action's own rules, in a store of the state alone.
struct ActionReducer<State: Sendable>: Reducer {
    let actions: DefinedActions<State>

    func decide(_ action: StoreAction<State>, in state: State) -> Decision { actions.decide(action, in: state) }

    func reduce(_ state: inout State, _ action: StoreAction<State>) { actions.reduce(&state, action) }
}
