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
