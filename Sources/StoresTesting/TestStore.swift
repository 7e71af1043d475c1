import Locks
public import Stores

/// A store for tests: each action's change of state is said beside it, and what effects send is received in order.
///
/// Nothing waits for the clock: ``receive(_:_:)`` returns when the action is committed, and throws once nothing runs
/// any more that could send it.
public final class TestStore<State: Sendable & Equatable, Action: Sendable & Equatable>: Sendable {
    fileprivate struct Contents {
        /// The state as far as the test has followed it.
        var followed: State
        /// What was committed and not yet followed.
        var commits: [(action: Action, state: State)] = []
        /// How many dispatches have set something going that has not settled.
        var unsettled = 0
        var waiting: (@Sendable () -> Void)?
    }

    private let store: Store<State, Action>
    // Guards what the test has followed. Taken inside the store's lock.
    private let contents: Locked<Contents>
    private let subscription: Subscription

    public init(
        _ state: State, reducer: any Reducer<State, Action>, middleware: [any Middleware<State, Action>] = []
    ) {
        let contents = Locked(Contents(followed: state))
        self.contents = contents
        store = Store(state, reducer: reducer, middleware: middleware)
        subscription = store.subscribe { commit in
            contents.withLock { contents in
                contents.commits.append((commit.action, commit.state))
                return contents.takeWaiting()
            }?()
        }
    }

    public var state: State { store.state }

    /// Dispatches `action`, which must end as `outcome` and change the state as `change` does.
    @discardableResult
    public func dispatch(
        _ action: Action, _ outcome: Outcome = .committed, _ change: (inout State) -> Void = { _ in }
    ) throws(TestStoreFailure) -> Receipt {
        if let waiting = contents.withLock({ $0.commits.first }) { throw .notReceived("\(waiting.action)") }
        contents.withLock { $0.unsettled += 1 }
        let receipt = store.dispatch(action)
        if let chain = receipt.chain { chain.whenSettled(settle) } else { settle() }
        guard receipt.outcome == outcome else {
            throw .outcome(expected: "\(outcome)", found: "\(receipt.outcome)")
        }
        if outcome == .committed { try follow(action, change) }
        return receipt
    }

    /// Waits for `action` to come from an effect or a middleware; it must change the state as `change` does.
    public func receive(
        _ action: Action, _ change: (inout State) -> Void = { _ in }
    ) async throws(TestStoreFailure) {
        await progress()
        try follow(action, change)
    }

    /// Waits until nothing runs any more; what was committed must have been received.
    public func finish() async throws(TestStoreFailure) {
        await progress()
        if let waiting = contents.withLock({ $0.commits.first }) { throw .notReceived("\(waiting.action)") }
    }
}

extension TestStore {
    private func follow(_ action: Action, _ change: (inout State) -> Void) throws(TestStoreFailure) {
        let commit = contents.withLock { $0.commits.isEmpty ? nil : $0.commits.removeFirst() }
        guard let commit else { throw .nothingCame(expected: "\(action)") }
        guard commit.action == action else { throw .action(expected: "\(action)", found: "\(commit.action)") }
        // Changed outside the lock: the change may well ask the store.
        var expected = contents.withLock { $0.followed }
        change(&expected)
        contents.withLock { $0.followed = commit.state }
        guard commit.state == expected else { throw .state(expected: "\(expected)", found: "\(commit.state)") }
    }

    /// Waits until there is a commit to follow, or nothing runs.
    private func progress() async {
        await withCheckedContinuation { continuation in
            let isThere = contents.withLock { contents in
                if !contents.commits.isEmpty || contents.unsettled == 0 { return true }
                contents.waiting = { continuation.resume() }
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func settle() {
        contents.withLock { contents in
            contents.unsettled -= 1
            return contents.unsettled == 0 ? contents.takeWaiting() : nil
        }?()
    }
}

extension TestStore.Contents {
    fileprivate mutating func takeWaiting() -> (@Sendable () -> Void)? {
        defer { waiting = nil }
        return waiting
    }
}
