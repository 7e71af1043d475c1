import Locks
public import Stores

/// A store for tests that must assert everything that happens.
///
/// - Exhaustive: the test asserts, in order, each change of state and each action that a middleware, an effect or a
///   timer sends. A missing assertion is a failure of the next step, of ``finish()``, or when the store is released.
/// - Deterministic: effects run on the thread of the test, inside the calls below, in one order. Only ``advance(by:)``
///   lets time pass. Unstructured tasks (`Task {}`) and `Task.sleep` inside an effect are outside of this control: see
///   ``waitForEffects()``.
/// - It is a `Store`, with the same rules and policies. Actions that an interceptor stops are not seen.
///
///     let store = TestStore(Search(), reducer: SearchReducer(), middleware: [SearchMiddleware(client)])
///     try store.dispatch(.type("ca")) { $0.text = "ca" }
///     try store.advance(by: .milliseconds(300))
///     try store.receive(.found(["Cat"])) { $0.results = ["Cat"] }
///     try store.finish()
public final class TestStore<State: Sendable & Equatable, Action: Sendable & Equatable>: Sendable {
    /// The clock of the store.
    public let clock: TestClock

    private let executor = ManualExecutor()
    private let store: Store<State, Action>
    private let subscription: Subscription
    // Guards the events. Taken inside the lock of the store.
    private let log: Locked<TestLog<State, Action>>

    /// A test store with an initial state.
    ///
    /// - Parameters:
    ///   - state: at revision 0.
    ///   - reducer: the reducer of the store.
    ///   - middleware: in the order in which they see actions and commits.
    ///   - clock: the clock of the store.
    ///   - effectLimit: the limit of a `StoreEnvironment`.
    ///   - effectOrder: the order of a `StoreEnvironment`.
    public init(
        _ state: State, reducer: any Reducer<State, Action>, middleware: [any Middleware<State, Action>] = [],
        clock: TestClock = TestClock(), effectLimit: Int = 64, effectOrder: EffectOrder = .concurrent
    ) {
        let log = Locked(TestLog<State, Action>(state))
        let environment = StoreEnvironment(
            clock: clock, executor: executor, effectLimit: effectLimit, effectOrder: effectOrder,
            report: { fault in log.withLock { $0.record(fault) } })
        let observed = ObservedReducer(reducer) { action, outcome in
            log.withLock { $0.events.append(.init(action: action, outcome: outcome, state: nil)) }
        }
        self.log = log
        self.clock = clock
        store = Store(
            state, reducer: observed, middleware: reducer.prepared.middleware + middleware, environment: environment)
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

    /// The state of the store, with the changes of actions that the test has not received yet.
    public var state: State { store.state }

    /// Dispatches `action`, asserts its outcome and its change of the state, and runs the effects until they wait.
    ///
    /// - Throws: `TestStoreFailure` if an assertion fails, or if an earlier action was not received.
    @discardableResult
    public func dispatch(
        _ action: Action, _ outcome: Outcome = .committed, _ change: (inout State) -> Void = { _ in }
    ) throws(TestStoreFailure) -> Receipt {
        try throwing(failureIfWaiting())
        let receipt = store.dispatch(action)
        // The first event is the action itself. The others are actions that middlewares dispatched.
        let own = log.withLock { $0.takeFirst() }
        track(receipt, of: action)
        try pump()
        try assert(own, action, from: receipt.outcome, to: outcome, change)
        return receipt
    }

    /// Dispatches `action` and asserts that it is rejected for this reason.
    public func expectRejected(_ action: Action, _ rejection: Rejection) throws(TestStoreFailure) {
        try dispatch(action, .rejected(rejection, index: 0))
    }

    /// Dispatches `action` and asserts that it is ignored.
    public func expectIgnored(_ action: Action) throws(TestStoreFailure) { try dispatch(action, .ignored) }

    /// Asserts the next action that a middleware, an effect or a timer has sent, with its outcome and its change of the
    /// state.
    ///
    /// - Throws: `TestStoreFailure` if an assertion fails, or if no action was sent.
    public func receive(
        _ action: Action, _ outcome: Outcome = .committed, _ change: (inout State) -> Void = { _ in }
    ) throws(TestStoreFailure) {
        try pump()
        guard let event = log.withLock({ $0.takeFirst() }) else {
            throw failed(
                .nothingReceived(expected: stableDescription(of: action), asleepUntil: clock.sleepers, now: clock.now())
            )
        }
        guard event.action == action else {
            throw failed(.action(difference: difference(between: action, and: event.action)))
        }
        try assert(event, action, from: event.outcome, to: outcome, change)
    }

    /// Advances the time. Sleeping effects wake one by one, in the order of their times, and each runs until it waits
    /// again.
    public func advance(by duration: Duration) throws(TestStoreFailure) {
        try advance(to: clock.now() + Int(duration / .milliseconds(1)))
    }

    /// Advances the time to `moment`, in milliseconds since 1970: see ``advance(by:)``.
    public func advance(to moment: Int) throws(TestStoreFailure) {
        try pump()
        while let next = clock.sleepers.first, next <= moment {
            clock.advance(to: next)
            try pump()
        }
        clock.advance(to: moment)
    }

    /// Waits until another thread resumes an effect, and runs it. Returns at once if no effect runs.
    ///
    /// Not needed for effects that the thread of the test resumes, for example through a ``ScriptedRemoteClient``.
    public func waitForEffects() async throws(TestStoreFailure) {
        guard log.withLock({ !$0.running.isEmpty }) else { return }
        await executor.waitForJob()
        try pump()
    }

    /// Continues from a saved state: see `Store.resume()`.
    public func resume() throws(TestStoreFailure) {
        store.resume()
        try pump()
    }

    /// Ends the store and cancels its effects: see `Store.end()`.
    public func end() {
        store.end()
        executor.run()
    }

    /// Asserts that all actions were received and that no effect still runs.
    ///
    /// Armed timers are allowed: they are part of the state.
    public func finish() throws(TestStoreFailure) { try throwing(failureAtEnd()) }
}

extension TestStore {
    private func pump() throws(TestStoreFailure) {
        guard executor.run() else { throw failed(.endless) }
        let faults = log.withLock { $0.takeFaults() }
        guard faults.isEmpty else { throw failed(.faults(faults)) }
    }

    /// Remembers the action while its effects run.
    private func track(_ receipt: Receipt, of action: Action) {
        guard let group = receipt.effectGroup else { return }
        let id = log.withLock { $0.begin(action) }
        group.whenSettled { [log] in log.withLock { $0.running.removeAll { $0.id == id } } }
    }

    private func assert(
        _ event: TestLog<State, Action>.Event?, _ action: Action, from found: Outcome, to expected: Outcome,
        _ change: (inout State) -> Void
    ) throws(TestStoreFailure) {
        let before = log.withLock { log in
            defer { log.assertedState = event?.state ?? log.assertedState }
            return log.assertedState
        }
        guard found == expected else {
            throw failed(.outcome(of: stableDescription(of: action), difference: "\(expected.text) → \(found.text)"))
        }
        guard let event, let state = event.state else { return }
        guard event.action == action else {
            throw failed(.action(difference: difference(between: action, and: event.action)))
        }
        // Outside of the lock: the closure of the test may read the store.
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

    /// The failure if the test ends here; nil if it has failed already.
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

/// A reducer that reports the actions that it does not accept: a store notifies nobody of them.
struct ObservedReducer<State: Sendable, Action: Sendable>: Reducer {
    private let reducer: any Reducer<State, Action>
    private let report: @Sendable (Action, Outcome) -> Void

    init(_ reducer: any Reducer<State, Action>, report: @escaping @Sendable (Action, Outcome) -> Void) {
        self.reducer = reducer
        self.report = report
    }

    func decide(_ action: Action, in state: State) -> Decision { reducer.decide(action, in: state) }

    func reduce(_ state: inout State, _ action: Action) { reducer.reduce(&state, action) }

    func apply(_ action: Action, to state: inout State) -> Decision {
        let decision = reducer.apply(action, to: &state)
        switch decision {
        case .accept: break
        case .ignore: report(action, .ignored)
        case .reject(let rejection): report(action, .rejected(rejection, index: 0))
        }
        return decision
    }
}
