import Locks
public import Stores

/// A store for tests, in which nothing happens that the test does not say.
///
/// - Exhaustive: each change of state and each action that a middleware, an effect or a timer sends is said by the test,
///   in order. What was not said is a failure at the next step, in ``finish()``, or when the store is forgotten.
/// - Deterministic: effects run on the thread of the test, inside the calls below, in one order; time passes by
///   ``advance(by:)`` only. What an effect starts outside of its own task (`Task {}`) or waits for elsewhere
///   (`Task.sleep`) escapes that; see ``resumed()``.
/// - It is a `Store`, with its rules and policies. An action that an interceptor stops on its way goes unseen.
///
///     let store = TestStore(Search(), reducer: SearchReducer(), middleware: [SearchMiddleware(client)])
///     try store.dispatch(.type("ca")) { $0.text = "ca" }
///     try store.advance(by: .milliseconds(300))
///     try store.receive(.found(["Cat"])) { $0.results = ["Cat"] }
///     try store.finish()
public final class TestStore<State: Sendable & Equatable, Action: Sendable & Equatable>: Sendable {
    /// The store's clock: for middleware of the test's own, and to read the time.
    public let clock: TestClock

    private let executor = ManualExecutor()
    private let store: Store<State, Action>
    private let subscription: Subscription
    // Guards what the test has followed. Taken inside the store's lock.
    private let log: Locked<TestLog<State, Action>>

    /// A store that begins with that state.
    ///
    /// - Parameters:
    ///   - state: at revision 0.
    ///   - reducer: how actions change the state.
    ///   - middleware: in the order in which they see an action and a commit.
    ///   - clock: one that effects of the test's own wait by, too.
    ///   - effectLimit: how many effects may run or wait, as in a `StoreEnvironment`.
    ///   - effectOrder: whether the effects of several middlewares run beside one another, as in a `StoreEnvironment`.
    public init(
        _ state: State, reducer: any Reducer<State, Action>, middleware: [any Middleware<State, Action>] = [],
        clock: TestClock = TestClock(), effectLimit: Int = 64, effectOrder: EffectOrder = .concurrent
    ) {
        let log = Locked(TestLog<State, Action>(followed: state))
        let environment = StoreEnvironment(
            clock: clock, executor: executor, effectLimit: effectLimit, effectOrder: effectOrder,
            report: { fault in log.withLock { $0.note(fault) } })
        let attended = ObservedReducer(reducer) { action, outcome in
            log.withLock { $0.events.append(.init(action: action, outcome: outcome, state: nil)) }
        }
        self.log = log
        self.clock = clock
        store = Store(state, reducer: attended, middleware: middleware, environment: environment)
        subscription = store.subscribe { commit in
            let event = TestLog.Event(action: commit.action, outcome: .committed, state: commit.state)
            log.withLock { $0.events.append(event) }
        }
    }

    deinit {
        let failure = failureAtEnd()
        end()
        if let failure { failure.record() }
    }

    /// The store's state: it holds what has come and was not received yet.
    public var state: State { store.state }

    /// Dispatches `action`, which must end as `outcome` and change the state as `change` does; then runs the effects as
    /// far as they come by themselves.
    ///
    /// - Throws: what is otherwise; also where something came before that was not received.
    @discardableResult
    public func dispatch(
        _ action: Action, _ outcome: Outcome = .committed, _ change: (inout State) -> Void = { _ in }
    ) throws(TestStoreFailure) -> Receipt {
        try throwing(failureIfWaiting())
        let receipt = store.dispatch(action)
        // The first is the action itself; the others are those that middlewares sent upon it.
        let own = log.withLock { $0.takeFirst() }
        attend(receipt, to: action)
        try pump()
        try follow(own, action, from: receipt.outcome, to: outcome, change)
        return receipt
    }

    /// Dispatches `action`, which the store must refuse for that reason, with no change of state.
    public func expectRejected(_ action: Action, _ rejection: Rejection) throws(TestStoreFailure) {
        try dispatch(action, .rejected(rejection, index: 0))
    }

    /// Dispatches `action`, for which there must be nothing to do.
    public func expectIgnored(_ action: Action) throws(TestStoreFailure) { try dispatch(action, .ignored) }

    /// Takes the next action that came from a middleware, an effect or a timer: it must be `action`, have ended as
    /// `outcome`, and have changed the state as `change` does.
    ///
    /// - Throws: what is otherwise; also where nothing came.
    public func receive(
        _ action: Action, _ outcome: Outcome = .committed, _ change: (inout State) -> Void = { _ in }
    ) throws(TestStoreFailure) {
        try pump()
        guard let event = log.withLock({ $0.takeFirst() }) else {
            throw failed(
                .nothingCame(expected: stableDescription(of: action), asleepUntil: clock.sleepers, now: clock.now()))
        }
        guard event.action == action else {
            throw failed(.action(difference: difference(between: action, and: event.action)))
        }
        try follow(event, action, from: event.outcome, to: outcome, change)
    }

    /// Lets time pass: what waits until then goes on, moment by moment, and each time as far as it comes by itself.
    public func advance(by duration: Duration) throws(TestStoreFailure) {
        try advance(to: clock.now() + Int(duration / .milliseconds(1)))
    }

    /// Lets time pass until `moment`, in milliseconds since 1970; see ``advance(by:)``.
    public func advance(to moment: Int) throws(TestStoreFailure) {
        try pump()
        while let next = clock.sleepers.first, next <= moment {
            clock.advance(to: next)
            try pump()
        }
        clock.advance(to: moment)
    }

    /// Waits until something outside of the store lets an effect go on, and runs it; returns at once where none runs.
    ///
    /// What the test's own thread brings about, as a ``ScriptedRemoteClient`` does, need not be waited for.
    public func resumed() async throws(TestStoreFailure) {
        guard log.withLock({ !$0.running.isEmpty }) else { return }
        await executor.waitForJob()
        try pump()
    }

    /// Does what the middlewares ask for where the state was kept from an earlier store: see `Store.resume()`.
    public func resume() throws(TestStoreFailure) {
        store.resume()
        try pump()
    }

    /// Ends the store as `Store.end()` does: what runs is cancelled.
    public func end() {
        store.end()
        executor.run()
    }

    /// Checks that all that came was received, and that no effect runs any more.
    ///
    /// A timer that is armed for a later moment is part of the state, and may be.
    public func finish() throws(TestStoreFailure) { try throwing(failureAtEnd()) }
}

extension TestStore {
    private func pump() throws(TestStoreFailure) {
        guard executor.run() else { throw failed(.endless) }
        let faults = log.withLock { $0.takeFaults() }
        guard faults.isEmpty else { throw failed(.faults(faults)) }
    }

    /// Remembers the action for as long as what it set going goes on.
    private func attend(_ receipt: Receipt, to action: Action) {
        guard let chain = receipt.chain else { return }
        let id = log.withLock { $0.begin(action) }
        chain.whenSettled { [log] in log.withLock { $0.running.removeAll { $0.id == id } } }
    }

    private func follow(
        _ event: TestLog<State, Action>.Event?, _ action: Action, from found: Outcome, to expected: Outcome,
        _ change: (inout State) -> Void
    ) throws(TestStoreFailure) {
        let before = log.withLock { log in
            defer { log.followed = event?.state ?? log.followed }
            return log.followed
        }
        guard found == expected else {
            throw failed(.outcome(of: stableDescription(of: action), difference: "\(expected.text) → \(found.text)"))
        }
        guard let event, let state = event.state else { return }
        guard event.action == action else {
            throw failed(.action(difference: difference(between: action, and: event.action)))
        }
        // Changed outside the lock: the change may well ask the store.
        var changed = before
        change(&changed)
        guard state == changed else {
            throw failed(
                .state(after: stableDescription(of: action), difference: difference(between: changed, and: state)))
        }
    }

    private func failureIfWaiting() -> TestStoreFailure? {
        let waiting = log.withLock { $0.events.map(\.text) }
        return waiting.isEmpty ? nil : .notReceived(waiting)
    }

    /// What is wrong if the test ends here; nothing where it has failed already.
    private func failureAtEnd() -> TestStoreFailure? {
        if log.withLock({ $0.hasFailed }) { return nil }
        do throws(TestStoreFailure) { try pump() } catch { return error }
        if let failure = failureIfWaiting() { return failure }
        let running = log.withLock { $0.running.map { stableDescription(of: $0.action) } }
        return running.isEmpty ? nil : .stillRunning(running)
    }

    private func throwing(_ failure: TestStoreFailure?) throws(TestStoreFailure) {
        if let failure { throw failed(failure) }
    }

    private func failed(_ failure: TestStoreFailure) -> TestStoreFailure {
        log.withLock { $0.hasFailed = true }
        return failure
    }
}

/// A reducer that tells which actions it did not accept: of those a store notifies nobody.
struct ObservedReducer<State: Sendable, Action: Sendable>: Reducer {
    private let reducer: any Reducer<State, Action>
    private let note: @Sendable (Action, Outcome) -> Void

    init(_ reducer: any Reducer<State, Action>, note: @escaping @Sendable (Action, Outcome) -> Void) {
        self.reducer = reducer
        self.note = note
    }

    func decide(_ action: Action, in state: State) -> Decision { reducer.decide(action, in: state) }

    func reduce(_ state: inout State, _ action: Action) { reducer.reduce(&state, action) }

    func apply(_ action: Action, to state: inout State) -> Decision {
        let decision = reducer.apply(action, to: &state)
        switch decision {
        case .accept: break
        case .ignore: note(action, .ignored)
        case .reject(let rejection): note(action, .rejected(rejection, index: 0))
        }
        return decision
    }
}
