import Locks
public import Stores

@available(macOS 15, iOS 18, visionOS 2, *)
extension TestStore {
    /// Asserts the next action that a middleware, an effect or a timer has sent, with its outcome and its change of the
    /// state.
    ///
    /// - Parameters:
    ///   - action: the expected action.
    ///   - outcome: what is expected of it.
    ///   - change: makes of the state before the action the state after it. It is left out if nothing changes.
    /// - Throws: `TestStoreFailure` if an assertion fails, or if no action was sent.
    public func receive(
        _ action: Action, _ outcome: Outcome = .committed, _ change: ((inout State) -> Void)? = nil
    ) throws(TestStoreFailure) {
        try receive(
            stableDescription(of: action), outcome, change, where: { $0 == action },
            difference: { difference(between: action, and: $0) })
    }

    /// Asserts that the next action is a case, whatever its value. See ``receive(_:_:_:)-(Action,_,_)``.
    ///
    ///     try store.receive(.found) { $0.results = ["Cat"] }
    public func receive<Value>(
        _ path: CasePath<Action, Value>, _ outcome: Outcome = .committed, _ change: ((inout State) -> Void)? = nil
    ) throws(TestStoreFailure) {
        try receive("an action with \(Value.self)", outcome, change, where: path.matches)
    }

    /// Asserts that the next action fulfils a condition. See ``receive(_:_:_:)-(Action,_,_)``.
    public func receive(
        where isExpected: (Action) -> Bool, _ outcome: Outcome = .committed,
        _ change: ((inout State) -> Void)? = nil
    ) throws(TestStoreFailure) {
        try receive("an action that fulfils the condition", outcome, change, where: isExpected)
    }

    private func receive(
        _ expected: String, _ outcome: Outcome, _ change: ((inout State) -> Void)?, where isExpected: (Action) -> Bool,
        difference: ((Action) -> String)? = nil
    ) throws(TestStoreFailure) {
        try pump()
        let (event, skipped) = log.withLock { $0.takeNext(isExpected) }
        skip(skipped)
        guard let event else {
            throw failed(.nothingReceived(expected: expected, asleepUntil: clock.sleepers, now: clock.now()))
        }
        guard isExpected(event.action) else {
            let other = difference?(event.action) ?? "\(expected) → \(stableDescription(of: event.action))"
            throw failed(.action(difference: other))
        }
        try assert(event, event.action, from: event.outcome, to: outcome, change)
    }
}

@available(macOS 15, iOS 18, visionOS 2, *)
extension TestStore {
    /// Skips the actions that were sent and not received. ``TestStore/state`` is then that of the store.
    ///
    /// - Parameter strict: whether it is a failure if there are none.
    public func skipReceivedActions(strict: Bool = true) throws(TestStoreFailure) {
        try pump()
        let skipped = log.withLock { $0.skip() }
        if skipped.isEmpty, strict { throw failed(.nothingToSkip("a received action")) }
        skip(skipped)
    }

    /// Cancels the effects that run. Timers continue.
    ///
    /// - Parameter strict: whether it is a failure if there are none.
    public func skipInFlightEffects(strict: Bool = true) throws(TestStoreFailure) {
        try pump()
        let running = log.withLock { $0.running }
        if running.isEmpty, strict { throw failed(.nothingToSkip("a running effect")) }
        store.core.cancelEffects(store)
        try pump()
        log.withLock { log in log.running.removeAll { effect in running.contains { $0.id == effect.id } } }
        if exhaustivity == .off(showSkipped: true) {
            for effect in running { show("skipped: the effects of \(stableDescription(of: effect.action))") }
        }
    }

    /// Shows events that were skipped, if the test wants to see them.
    func skip(_ events: [TestLog<State, Action>.Event]) {
        guard exhaustivity == .off(showSkipped: true) else { return }
        for event in events { show("skipped: \(event.text)") }
    }
}
