/// Holds one state, and changes it by reducing actions: the store of Redux.
///
/// - Dispatch is synchronous and first in, first out. Any thread may dispatch; one action is reduced at a time.
/// - An action sent from a subscriber or a middleware is queued behind the current one, never nested and never lost. If
///   actions cause one another without end, the remaining ones are dropped and reported as a ``StoreFault``.
/// - Each committed action makes one revision and one notification, with the state that belongs to it.
/// - A rejected or ignored action changes nothing.
/// - A dispatch allocates nothing if it starts no effect and the store has no subscriber.
public final class Store<State: Sendable, Action: Sendable>: StoreProtocol {
    @usableFromInline package let core: StoreCore<State, Action>
    @usableFromInline package let reducer: AnyReducer<State, Action>

    /// A store that begins with that state.
    ///
    /// - Parameters:
    ///   - state: at revision 0.
    ///   - reducer: how actions change the state. One of ``OnAction`` alone, which accepts no action, stops the process.
    ///   - middleware: in the order in which they see an action and a commit, after those that the reducer has by
    ///     ``Reducer/with(_:)``.
    ///   - environment: time, a place for effects, and limits.
    @inlinable
    public convenience init(
        _ state: State, reducer: some Reducer<State, Action>, middleware: [any Middleware<State, Action>] = [],
        environment: StoreEnvironment = .standard
    ) {
        let reducer = reducer.prepared
        // Such a store would ignore every action.
        if reducer.onlyFollows { StoreLock<State, Action>.stopWithoutReducer() }
        self.init(state, reducer, MiddlewareStack(reducer.middleware, middleware), environment, observer: nil)
    }

    @inlinable
    package init(
        _ state: State, _ reducer: AnyReducer<State, Action>, _ middleware: MiddlewareStack<State, Action>,
        _ environment: StoreEnvironment, observer: sending (any CommitObserver<State, Action>)?
    ) {
        core = StoreCore(state, middleware, environment, observer)
        self.reducer = reducer
    }

    deinit { core.end() }

    /// Reduces `action` and returns the result. Subscribers have been notified when this returns.
    @inlinable
    @discardableResult
    public func dispatch(_ action: Action) -> Receipt { submit(action, Envelope(.client)) }

    /// Reduces all of `actions`, one revision each with nothing in between, or none of them.
    @discardableResult
    public func dispatch(batch actions: [Action]) -> Receipt { dispatch(batch: actions, by: nil) }

    func dispatch(batch actions: [Action], by actor: Actor?) -> Receipt {
        guard let first = actions.first else { return Receipt(.ignored, revision: revision) }
        return submit(first, Envelope(.client, .init(remainingActions: Array(actions.dropFirst())), by: actor))
    }

    /// Resumes a persisted state: the middlewares set timers again, and report interrupted effects.
    public func resume() { resume(asCopy: false) }

    /// - Parameter isCopy: whether the state was copied from another store, which continues with it.
    @usableFromInline
    package func resume(asCopy isCopy: Bool) {
        withExclusiveAccess("resume()") { core.resume($0, self, isCopy: isCopy) }
    }

    /// Cancels the running and the queued effects with this id, in all parts of the state.
    ///
    /// Actions that they still emit are not reduced. ``Receipt/cancel()`` cancels those of one dispatch.
    public func cancel(id: EffectID) { core.cancelEffects(named: id, self) }

    /// Cancels all effects and timers. Nothing is committed after that.
    public func end() { core.end() }

    public var state: State { core.contents.withLock { $0.pointee.state } }
    /// 0 at first, one more for each committed action.
    public var revision: Int { core.contents.withLock { $0.pointee.revision } }

    public func read<Result>(_ body: (State) -> Result) -> Result {
        var result: Result?
        // Actions that `body` sends are queued until it returns.
        withExclusiveAccess { contents in result = body(contents.pointee.state) }
        return result ?? core.contents.withLock { body($0.pointee.state) }
    }

    /// Sends an action without waiting for the result. If a limit of the store refuses it, a ``StoreFault`` is reported.
    public func send(_ action: Action) { _ = submit(action, Envelope(.client), isAwaited: false) }

    /// Calls `subscriber` for each commit; see ``StoreProtocol/observe(_:)`` for the rules.
    public func subscribe(
        _ subscriber: @escaping @Sendable (borrowing Commit<State, Action>) -> Void
    ) -> Subscription {
        core.contents.withLock { core.subscribe(subscriber, $0) }
    }

    public func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription {
        var subscription: Subscription?
        // Actions that the observer sends in its first call are queued until it is subscribed.
        withExclusiveAccess { contents in subscription = core.observe(observer, contents) }
        return subscription ?? core.contents.withLock { core.observe(observer, $0) }
    }

    /// Reduces an action, or a batch that begins with it. If it comes from inside, it is queued.
    ///
    /// - Parameters:
    ///   - isAwaited: whether the sender gets the receipt. If not, a loss is reported.
    ///   - inspect: called with the receipt and the contents that belong to it, inside the store.
    @inlinable
    package func submit(
        _ action: Action, _ envelope: Envelope<Action>, isAwaited: Bool = true,
        _ inspect: (Receipt, StoreCore<State, Action>.ContentsPointer) -> Void = { _, _ in }
    ) -> Receipt {
        var receipt = Receipt(.queued, revision: 0)
        let fault = withExclusiveAccess("dispatch(_:)") { contents in
            if envelope.isDryRun {
                receipt = dryRun(QueuedActions(action, envelope), contents, inspect)
            } else {
                receipt = process(action, envelope, contents, isAwaited: isAwaited)
                inspect(receipt, contents)
            }
            core.notifyDispatchEnded(contents)
        } ifReentrant: { contents in
            core.queue(action, envelope, contents)
        }
        if let fault { receipt = receipt.with(fault) }
        return receipt
    }

    /// Runs `body` alone, then the actions that were dispatched meanwhile. If called from inside, runs `ifReentrant`
    /// instead.
    @inlinable
    @inline(__always)
    @discardableResult
    package func withExclusiveAccess(
        _ call: StaticString = #function, _ body: (StoreCore<State, Action>.ContentsPointer) -> Void,
        ifReentrant: (StoreCore<State, Action>.ContentsPointer) -> Void = { _ in }
    ) -> StoreFault? {
        var fault: StoreFault?
        var postLockWork: PostLockWork?
        core.contents.withLock(call) { contents in
            guard !contents.pointee.isBusy else { return ifReentrant(contents) }
            contents.pointee.isBusy = true
            body(contents)
            if contents.pointee.pending != nil { (fault, postLockWork) = finish(contents) }
            contents.pointee.isBusy = false
        }
        postLockWork?.perform()
        return fault
    }
}

extension Store {
    @inlinable
    package func process(
        _ action: Action, _ envelope: Envelope<Action>, _ contents: StoreCore<State, Action>.ContentsPointer,
        isAwaited: Bool
    ) -> Receipt {
        if let refusal = core.refusal(envelope, contents) {
            return Receipt(refusal, revision: contents.pointee.revision)
        }
        contents.pointee.observer?.willReduce(action, isNamed: envelope.origin == .client)
        var progress = DispatchContext(envelope.details)
        var isBatch = false
        if let details = envelope.details {
            if details.endsEffect { core.end(details, contents, self) }
            isBatch = !details.remainingActions.isEmpty || details.asksBeforeCommit
        }
        let outcome =
            isBatch || contents.pointee.asksBeforeCommit || core.judgesStates
                || (contents.pointee.pending != nil && core.isNearEffectLimit(contents))
            ? reduce(batch: QueuedActions(action, envelope), contents, &progress)
            : reduce(action, envelope, contents, &progress)
        let receipt = Receipt(outcome, revision: contents.pointee.revision, progress.followUps(in: self))
        guard !isAwaited, case .rejected(let rejection, let index) = outcome,
            let fault = core.refused(QueuedActions(action, envelope), rejection, index: index, contents)
        else { return receipt }
        return receipt.with(fault)
    }

    @inlinable
    package func reduce(
        _ action: Action, _ envelope: Envelope<Action>, _ contents: StoreCore<State, Action>.ContentsPointer,
        _ progress: inout DispatchContext
    ) -> Outcome {
        guard core.precedesReducer(envelope) else { return apply(action, envelope, contents, &progress) }
        var outcome = Outcome.ignored
        let context = core.context(of: envelope)
        guard let action = core.intercept(action, context, StoreCore.state(in: contents), &outcome) else {
            return outcome
        }
        return core.withPreviousState(contents) { apply(action, envelope, contents, &progress, previous: $0) }
    }

    @inlinable
    package func apply(
        _ action: Action, _ envelope: Envelope<Action>, _ contents: StoreCore<State, Action>.ContentsPointer,
        _ progress: inout DispatchContext, previous: UnsafePointer<State>? = nil
    ) -> Outcome {
        var abstentions = Abstentions()
        switch core.contents.reducing(contents, { reducer.apply(action, to: &contents.pointee.state, &abstentions) }) {
        case .ignore, .follow: return .ignored
        case .reject(let rejection):
            core.report(rejection)
            return .rejected(rejection, index: 0)
        case .accept:
            core.commit(
                action, envelope, endsBatch: true, contents, &progress, self, previous: previous,
                abstentions: abstentions)
            return .committed
        }
    }

    /// Validates the batch on a copy first, because nothing may be committed if a later action is rejected.
    @usableFromInline
    package func reduce(
        batch: QueuedActions<Action>, _ contents: StoreCore<State, Action>.ContentsPointer,
        _ progress: inout DispatchContext
    ) -> Outcome {
        switch validate(batch, contents) {
        case .failure(let refusal): return .rejected(refusal.rejection, index: refusal.index)
        case .success(let (accepted, state)):
            for (place, next) in accepted.enumerated() {
                if accepted.count > 1 { contents.pointee.observer?.willReduce(next.action, isNamed: false) }
                core.withPreviousState(contents) { previous in
                    if accepted.count == 1 {
                        contents.pointee.state = state
                    } else {
                        reduce(next, &contents.pointee.state, contents)
                    }
                    let isLast = place == accepted.count - 1
                    core.commit(
                        next.action, batch.envelope, endsBatch: isLast, contents, &progress, self, previous: previous,
                        answers: next.answers, abstentions: next.abstentions)
                }
            }
            return accepted.isEmpty ? .ignored : .committed
        }
    }

    /// Reduces the batch, calls `inspect` with the resulting state, and restores the state.
    @usableFromInline
    package func dryRun(
        _ batch: QueuedActions<Action>, _ contents: StoreCore<State, Action>.ContentsPointer,
        _ inspect: (Receipt, StoreCore<State, Action>.ContentsPointer) -> Void
    ) -> Receipt {
        let original = contents.pointee.state
        var outcome = core.refusal(batch.envelope, contents)
        if outcome == nil {
            switch validate(batch, contents) {
            case .failure(let refusal): outcome = .rejected(refusal.rejection, index: refusal.index)
            case .success(let (accepted, state)):
                contents.pointee.state = state
                outcome = accepted.isEmpty ? .ignored : .committed
            }
        }
        let receipt = Receipt(outcome ?? .ignored, revision: contents.pointee.revision)
        inspect(receipt, contents)
        contents.pointee.state = original
        return receipt
    }

    /// An action of a batch that would be committed, and its index.
    private struct Accepted {
        let index: Int
        let action: Action
        /// The parts of the reducer that ignored it.
        let abstentions: Abstentions
        /// The effects with which the middlewares answered; nil if they were not asked yet.
        var answers: [Effect<Action>?]?
    }

    private func reduce(
        _ next: Accepted, _ state: inout State, _ contents: StoreCore<State, Action>.ContentsPointer
    ) {
        core.contents.reducing(contents) { reducer.reduce(&state, next.action, next.abstentions) }
    }

    /// - Returns: the actions to commit, and the state that they lead to.
    private func validate(
        _ batch: QueuedActions<Action>, _ contents: StoreCore<State, Action>.ContentsPointer
    ) -> Result<([Accepted], State), BatchRefusal> {
        var state = contents.pointee.state
        var accepted: [Accepted] = []
        let context = core.context(of: batch.envelope)
        for (index, action) in batch.actions.enumerated() {
            var outcome = Outcome.ignored
            contents.pointee.observer?.willReduce(action, isNamed: false)
            if let action = withUnsafePointer(to: state, { core.intercept(action, context, $0, &outcome) }) {
                var abstentions = Abstentions()
                switch core.contents.reducing(contents, { reducer.apply(action, to: &state, &abstentions) }) {
                case .accept:
                    accepted.append(Accepted(index: index, action: action, abstentions: abstentions))
                    if core.judgesStates, let objection = contents.pointee.observer?.objection(to: state) {
                        outcome = .rejected(objection, index: index)
                    }
                case .ignore, .follow: break
                case .reject(let rejection):
                    core.report(rejection)
                    outcome = .rejected(rejection, index: index)
                }
            }
            if case .rejected(let rejection, _) = outcome { return .failure(BatchRefusal(rejection, index)) }
        }
        if core.needsAdmission(batch.envelope, contents), let last = accepted.last,
            contents.pointee.observer?.admits(state, from: batch.envelope.origin, contents) == false
        {
            let refused = firstActionOverSizeLimit(in: accepted, batch.envelope.origin, contents) ?? last
            return .failure(BatchRefusal(.stateTooLarge, refused.index))
        }
        let firstActionOverEffectLimit = firstActionOverEffectLimit(in: &accepted, batch.envelope, contents)
        return firstActionOverEffectLimit.map { .failure(BatchRefusal(.tooManyEffects, $0)) }
            ?? .success((accepted, state))
    }

    /// The first action whose state the observer does not admit.
    private func firstActionOverSizeLimit(
        in accepted: [Accepted], _ origin: Origin, _ contents: StoreCore<State, Action>.ContentsPointer
    ) -> Accepted? {
        var state = contents.pointee.state
        for next in accepted {
            reduce(next, &state, contents)
            if contents.pointee.observer?.admits(state, from: origin, contents) == false { return next }
        }
        return nil
    }

    /// The index of the first action that would start too many effects. The middlewares are asked after the reducer has
    /// accepted the whole batch, and their answers are kept for the commits.
    private func firstActionOverEffectLimit(
        in accepted: inout [Accepted], _ envelope: Envelope<Action>,
        _ contents: StoreCore<State, Action>.ContentsPointer
    ) -> Int? {
        guard !core.middleware.all.isEmpty, var capacity = core.effectCapacity(for: envelope, contents) else {
            return nil
        }
        var state = contents.pointee.state
        for (place, next) in accepted.enumerated() {
            let previous = core.middleware.readsPreviousState ? state : nil
            reduce(next, &state, contents)
            let answers = core.reserveEffects(
                next.action, (place, isLast: place == accepted.count - 1), state, previous: previous, next.abstentions,
                envelope, contents, &capacity)
            guard let answers else { return next.index }
            accepted[place].answers = answers
        }
        return nil
    }

    /// Reduces the actions that were queued behind the current one, and returns the work to do after the lock is
    /// released.
    @inlinable
    @inline(never)
    package func finish(_ contents: StoreCore<State, Action>.ContentsPointer) -> (StoreFault?, PostLockWork) {
        let fault = drain(contents)
        return (fault, core.takePostLockWork(contents))
    }

    @inlinable
    func drain(_ contents: StoreCore<State, Action>.ContentsPointer) -> StoreFault? {
        var left = core.environment.cascadeLimit
        var fault: StoreFault?
        while let queued = core.nextQueuedActions(contents) {
            for submission in queued.prefix(left) {
                contents.pointee.observer?.willReduce(submission.first, isNamed: false)
                let receipt = process(submission.first, submission.envelope, contents, isAwaited: false)
                fault = fault ?? receipt.fault
                core.notifyDispatchEnded(contents)
            }
            contents.pointee.madePendingWork.postLockWork.left += queued.compactMap(\.envelope.ownGroup)
            if queued.count > left {
                return core.stopCascade(dropping: queued.count - left, contents)
            }
            left -= queued.count
        }
        return fault
    }
}

extension Store: ActionSink {
    @inlinable
    package func submit(_ submission: QueuedActions<Action>) {
        _ = submit(submission.first, submission.envelope, isAwaited: false)
    }

    @inlinable
    package func effectEnded(_ runID: Int) { core.effectEnded(runID, self) }

    @inlinable
    package func effectAbandoned(_ runID: Int) { core.effectAbandoned(runID, self) }

    @usableFromInline
    package func effectRetries(_ runID: Int) { core.notifyRetry(of: runID) }

    @usableFromInline
    package func effectEmittedLate(_ action: Action) {
        core.contents.withLock { contents in _ = core.reportLoss(of: action, .effect, at: .lateEmission, contents) }
    }

    @usableFromInline
    package func cancelEffects(of group: EffectGroup) { core.cancelEffects(of: group, self) }
}

/// The reason why a batch is not committed.
private struct BatchRefusal: Error {
    let rejection: Rejection
    let index: Int

    init(_ rejection: Rejection, _ index: Int) {
        self.rejection = rejection
        self.index = index
    }
}
