public import Stores

@available(macOS 15, iOS 18, visionOS 2, *)
extension TestStore {
    /// The store as an actor uses it.
    ///
    ///     try store.as(.user("ada")).dispatch(vote(.tea)) { $0.votes["ada"] = .tea }
    public func `as`(_ actor: Actor) -> Acting { Acting(store: self, actor: actor) }

    /// Dispatches actions in the name of an actor.
    public struct Acting: Sendable {
        let store: TestStore
        let actor: Actor

        /// Dispatches an action and asserts its outcome and its change of the state, as the store does.
        @discardableResult
        public func dispatch(
            _ action: Action, _ outcome: Outcome = .committed, _ change: ((inout State) -> Void)? = nil
        ) throws(TestStoreFailure) -> Receipt {
            try store.dispatch(action, by: actor, outcome, change)
        }

        /// Dispatches an action and asserts that it is rejected for this reason.
        public func expectRejected(_ action: Action, _ rejection: Rejection) throws(TestStoreFailure) {
            try dispatch(action, .rejected(rejection, index: 0))
        }

        /// Dispatches an action and asserts that it is ignored.
        public func expectIgnored(_ action: Action) throws(TestStoreFailure) { try dispatch(action, .ignored) }
    }
}
