import Locks
public import Stores

/// A store for tests that must assert everything that happens.
///
/// - Exhaustive: the test asserts, in order, each change of state and each action that a middleware, an effect or a
///   timer sends. A missing assertion is a failure of the next step, of ``finish()``, or when the store is released.
///   ``exhaustivity`` switches this off.
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
@available(macOS 15, iOS 18, visionOS 2, *)
public final class TestStore<State: Sendable & Equatable, Action: Sendable & Equatable>: Sendable {
    /// The clock of the store.
    public let clock: TestClock

    let executor = ManualExecutor()
    let store: Store<State, Action>
    private let subscription: Subscription
    // Guards the events. Taken inside the lock of the store.
    let log: Locked<TestLog<State, Action>>
    /// Called with a line for each assertion that was skipped, if ``exhaustivity`` says so.
    let show: @Sendable (String) -> Void

    /// A test store with an initial state.
    ///
    /// - Parameters:
    ///   - state: at revision 0.
    ///   - reducer: the reducer of the store.
    ///   - middleware: in the order in which they see actions and commits.
    ///   - clock: the clock of the store.
    ///   - effectLimit: the limit of a `StoreEnvironment`.
    ///   - exhaustivity: whether the test must assert everything.
    ///   - show: called with a line for each assertion that was skipped, if `exhaustivity` says so.
    public init(
        _ state: State, reducer: any Reducer<State, Action>, middleware: [any Middleware<State, Action>] = [],
        clock: TestClock = TestClock(), effectLimit: Int = 64, exhaustivity: Exhaustivity = .on,
        show: @escaping @Sendable (String) -> Void = { print($0) }
    ) {
        let log = Locked(TestLog<State, Action>(state, exhaustivity))
        let environment = StoreEnvironment(
            clock: clock, steadyNow: { [clock] in clock.now() }, effectLimit: effectLimit,
            report: { fault in log.withLock { $0.record(fault) } }, effects: nil, identity: "test",
            startTask: executor.startTask)
        let observed = reducer.prepared.observed { action, outcome in
            log.withLock { $0.events.append(.init(action: action, outcome: outcome, state: nil)) }
        }
        self.log = log
        self.show = show
        self.clock = clock
        store = Store(state, reducer: observed, middleware: middleware, environment: environment)
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

    /// The state after the last action that the test has dispatched or received. Actions that it has not received yet do not
    /// count.
    public var state: State { log.withLock { $0.assertedState } }

    /// Whether the test must assert everything. It may change between two calls.
    public var exhaustivity: Exhaustivity {
        get { log.withLock { $0.exhaustivity } }
        set { log.withLock { $0.exhaustivity = newValue } }
    }

    /// Dispatches `action`, asserts its outcome and its change of the state, and runs the effects until they wait.
    ///
    /// - Parameters:
    ///   - action: the action to dispatch.
    ///   - outcome: the expected outcome.
    ///   - change: makes of the state before the action the state after it. It is left out if nothing changes: a closure that
    ///     changes nothing is a failure.
    /// - Throws: `TestStoreFailure` if an assertion fails, or if an earlier action was not received.
    @discardableResult
    public func dispatch(
        _ action: Action, _ outcome: Outcome = .committed, _ change: ((inout State) -> Void)? = nil
    ) throws(TestStoreFailure) -> Receipt {
        try dispatch(action, by: .anonymous, outcome, change)
    }

    func dispatch(
        _ action: Action, by actor: Actor, _ outcome: Outcome, _ change: ((inout State) -> Void)?
    ) throws(TestStoreFailure) -> Receipt {
        if exhaustivity == .on { try throwing(failureIfWaiting()) } else { skip(log.withLock { $0.skip() }) }
        let receipt = store.as(actor).dispatch(action)
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

@available(macOS 15, iOS 18, visionOS 2, *)
extension TestStore {
    func pump() throws(TestStoreFailure) {
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

    func assert(
        _ event: TestLog<State, Action>.Event?, _ action: Action, from found: Outcome, to expected: Outcome,
        _ change: ((inout State) -> Void)?
    ) throws(TestStoreFailure) {
        let (before, isExhaustive) = log.withLock { log in
            defer { log.assertedState = event?.state ?? log.assertedState }
            return (log.assertedState, log.exhaustivity == .on)
        }
        let name = stableDescription(of: action)
        guard found == expected else {
            throw failed(.outcome(of: name, expected: expected.text, actual: found.text))
        }
        guard let event else { return }
        guard event.action == action else {
            throw failed(.action(difference: difference(between: action, and: event.action)))
        }
        let state = event.state ?? before
        // Outside of the lock: the closure of the test may read the store.
        var changed = isExhaustive ? before : state
        change?(&changed)
        guard state == changed else {
            throw failed(.state(after: name, difference: difference(between: changed, and: state)))
        }
        if isExhaustive, change != nil, changed == before { throw failed(.nothingChanged(after: name)) }
    }

    private func failureIfWaiting() -> TestStoreFailure? {
        let waiting = log.withLock { $0.events.map(\.text) }
        return waiting.isEmpty ? nil : .notReceived(waiting)
    }

    /// The failure if the test ends here; nil if it has failed already.
    private func failureAtEnd() -> TestStoreFailure? {
        if log.withLock({ $0.hasFailed }) { return nil }
        do throws(TestStoreFailure) { try pump() } catch { return error }
        guard exhaustivity == .on else { return nil }
        if let failure = failureIfWaiting() { return failure }
        let running = log.withLock { $0.running.map { stableDescription(of: $0.action) } }
        return running.isEmpty ? nil : .stillRunning(running)
    }

    func throwing(_ failure: TestStoreFailure?) throws(TestStoreFailure) {
        if let failure { throw failed(failure) }
    }

    func failed(_ failure: TestStoreFailure) -> TestStoreFailure {
        log.withLock { $0.hasFailed = true }
        return failure
    }
}

extension AnyReducer {
    /// A copy of this reducer that reports the actions that it does not accept: a store notifies nobody of them.
    func observed(_ report: @escaping @Sendable (Action, Outcome) -> Void) -> AnyReducer {
        AnyReducer(
            concerns: { self.concerns($0) }, decide: { self.decide($0, in: $1, &$2) },
            reduce: { self.reduce(&$1, $0, $2) },
            apply: { action, state, abstentions in
                let decision = self.apply(action, to: &state, &abstentions)
                switch decision {
                case .accept: break
                case .ignore, .follow: report(action, .ignored)
                case .reject(let rejection): report(action, .rejected(rejection, index: 0))
                }
                return decision
            }, middleware: middleware, onlyFollows: onlyFollows)
    }
}
