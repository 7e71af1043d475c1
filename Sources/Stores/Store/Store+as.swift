extension Store {
    /// The store as an actor uses it.
    ///
    ///     store.as(.user("ada")).dispatch(vote(.tea))
    public func `as`(_ actor: Actor) -> Acting { Acting(store: self, actor: actor) }

    /// Sends actions in the name of an actor.
    public struct Acting: Sendable {
        let store: Store
        let actor: Actor

        /// Dispatches an action, as the store does.
        @discardableResult
        public func dispatch(_ action: Action) -> Receipt { store.submit(action, Envelope(.client, by: actor)) }

        /// Dispatches a batch, as the store does.
        @discardableResult
        public func dispatch(batch actions: [Action]) -> Receipt { store.dispatch(batch: actions, by: actor) }

        /// Sends an action without waiting for the result, as the store does.
        public func send(_ action: Action) { _ = store.submit(action, Envelope(.client, by: actor), isAwaited: false) }
    }
}

extension AsyncStore {
    /// The store as an actor uses it.
    public func `as`(_ actor: Actor) -> Acting { Acting(store: self, actor: actor) }

    /// Sends actions in the name of an actor.
    public struct Acting: Sendable {
        let store: AsyncStore
        let actor: Actor

        /// Dispatches an action and waits for its result, as the store does.
        @discardableResult
        public func dispatch(_ action: Action) async -> Receipt {
            await store.dispatch(QueuedActions(action, Envelope(.client, by: actor)))
        }

        /// Sends an action without waiting for the result, as the store does.
        public func send(_ action: Action) { store.submit(QueuedActions(action, Envelope(.client, by: actor))) }
    }
}
