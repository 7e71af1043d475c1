import Locks
import Platform

/// A store with an asynchronous reducer. Actions wait in a queue and are reduced strictly in the order of sending.
///
/// - An action is reduced after the commit of the one before, so no update is lost.
/// - The queue is bounded. If it is full, an action ends as ``Outcome/overloaded``. If nobody waits for its receipt, it is reported
///   as a ``StoreFault``.
/// - Revisions, notifications, middleware, effects and limits are those of ``Store``.
/// - A dispatch by its own reducer does not wait, because it would wait for itself. It is queued, and reported as a
///   ``StoreFault``.
public final class AsyncStore<State: Sendable, Action: Sendable>: StoreProtocol {
    /// The maximum number of waiting actions; a batch counts as one.
    package static var queueLimit: Int { 1024 }
    /// How long a reducer may run, by the store's clock, before the dispatches that wait for it return: see ``dispatch(_:)``. It is
    /// noticed at most twice as late.
    package static var stallTime: Duration { .seconds(30) }

    package typealias Completion =
        @Sendable (Receipt, StoreCore<State, Action>.ContentsPointer?) -> @Sendable () -> Void

    @usableFromInline package let core: StoreCore<State, Action>
    private let reducer: any AsyncReducer<State, Action>
    /// The synchronous reducer, if it is composed of parts with middleware.
    private let rules: AnyReducer<State, Action>?
    // Guards the queue. Nothing is called while it is held.
    private let queue = Locked(AsyncStoreQueue<State, Action>())

    /// A store with an initial state.
    ///
    /// - Parameters:
    ///   - state: at revision 0.
    ///   - reducer: the reducer. An ``Asynchronous`` of ``OnAction`` alone, which accepts no action, stops the process.
    ///   - middleware: in the order in which they see actions and commits.
    ///   - environment: the clock, the threads of effects, and limits.
    public convenience init(
        _ state: State, reducer: any AsyncReducer<State, Action>, middleware: [any Middleware<State, Action>] = [],
        environment: StoreEnvironment = .standard
    ) {
        let rules = reducer.synchronousRules
        // Such a store would ignore every action.
        if rules?.onlyFollows == true { StoreLock<State, Action>.stopWithoutReducer() }
        self.init(state, reducer, MiddlewareStack(rules?.middleware ?? [], middleware), environment, observer: nil)
    }

    @usableFromInline
    package init(
        _ state: State, _ reducer: any AsyncReducer<State, Action>, _ middleware: MiddlewareStack<State, Action>,
        _ environment: StoreEnvironment, observer: sending (any CommitObserver<State, Action>)?
    ) {
        core = StoreCore(state, middleware, environment, observer)
        self.reducer = reducer
        let rules = reducer.synchronousRules
        self.rules = rules?.middleware.allSatisfy(\.reducerPath.isEmpty) == false ? rules : nil
    }

    deinit { end() }

    /// Cancels the running and the queued effects with this id, in all parts of the state.
    ///
    /// Actions that they still emit are not reduced. ``Receipt/cancel()`` cancels those of one dispatch.
    public func cancel(id: EffectID) { core.cancelEffects(named: id, self) }

    /// Cancels the effects and disarms the timers. Nothing is committed afterwards.
    public func end() {
        core.end()
        queue.withLock { $0.watch }?.cancel()
    }

    public var state: State { read { $0 } }
    /// The number of committed actions.
    public var revision: Int { core.contents.withLock { $0.pointee.revision } }

    public func read<Result>(_ body: (State) -> Result) -> Result {
        core.contents.withLock { body($0.pointee.state) }
    }

    /// Continues from a saved state: the middlewares arm timers and report interrupted calls.
    public func resume() { resume(asCopy: false) }

    /// - Parameter isCopy: whether the state was copied from another store, which continues with it.
    @usableFromInline
    package func resume(asCopy isCopy: Bool) {
        let (followUps, postLockWork) = core.contents.withLock("resume()") { contents in
            core.resume(contents, self, isCopy: isCopy)
            return (core.takeQueuedActions(contents), core.takePostLockWork(contents))
        }
        for followUp in followUps { submit(followUp) }
        postLockWork.perform()
    }

    /// Sends `action` and waits for its receipt.
    ///
    /// The reducer of the store must not wait for it. If it does, the action is queued behind the current one, the receipt
    /// has a ``StoreFault`` and comes at once.
    ///
    /// A reducer that waits through a detached task cannot be told from a slow one. So when a reducer has not returned for
    /// 30 seconds, every dispatch that waits for it returns as ``Outcome/queued``, and ``StoreFault/reducerStalled(seconds:)``
    /// is reported. The actions stay in the queue.
    @discardableResult
    public func dispatch(_ action: Action) async -> Receipt { await dispatch(QueuedActions(action, origin: .client)) }

    func dispatch(_ actions: QueuedActions<Action>) async -> Receipt {
        if Reduction.isRunning(in: core) {
            core.environment.report(.awaitedInReducer)
            let isQueued = enqueue(.submission(AsyncSubmission(actions: actions)), isBounded: true)
            return Receipt(isQueued ? .queued : .overloaded, revision: 0).with(.awaitedInReducer)
        }
        let receipt = Promise<Receipt>()
        submit(
            AsyncSubmission(actions: actions, completion: { found, _ in { receipt.fulfill(found) } }, receipt: receipt))
        return await receipt.value()
    }

    public func send(_ action: Action) { submit(QueuedActions(action, origin: .client)) }

    /// Calls `subscriber` for each commit. See ``StoreProtocol/observe(_:)`` for the rules.
    public func subscribe(
        _ subscriber: @escaping @Sendable (borrowing Commit<State, Action>) -> Void
    ) -> Subscription {
        core.contents.withLock { core.subscribe(subscriber, $0) }
    }

    public func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription {
        core.contents.withLock { core.observe(observer, $0) }
    }

    /// - Parameter completion: called once under the lock, with the receipt and the contents. The closure that it returns is
    ///   called after the lock is released.
    package func submit(_ actions: QueuedActions<Action>, _ completion: @escaping Completion) {
        submit(AsyncSubmission(actions: actions, completion: completion))
    }

    private func submit(_ submission: AsyncSubmission<State, Action>) {
        let isEmission = submission.envelope.details.map { $0.effectRunID != 0 && !$0.endsEffect } ?? false
        // The last action of an effect is always queued, or its group would never settle.
        let isBounded = submission.envelope.origin == .client || isEmission
        if enqueue(.submission(submission), isBounded: isBounded) { return }
        if let completion = submission.completion { return completion(Receipt(.overloaded, revision: revision), nil)() }
        core.contents.withLock { contents in
            _ = core.reportLoss(of: submission.actions.first, submission.envelope.origin, at: .overloaded, contents)
        }
    }

    /// - Returns: whether there was room in the queue.
    private func enqueue(_ item: AsyncStoreQueue<State, Action>.Item, isBounded: Bool) -> Bool {
        let result = queue.withLock { $0.append(item, limit: isBounded ? Self.queueLimit : .max) }
        switch result {
        case .startsDraining: _ = core.environment.startTask { await self.drain() }
        case .startsWatch(let reduction): watch(reduction)
        case .queued, .full: break
        }
        return result != .full
    }

    private func drain() async {
        while let item = queue.withLock({ $0.next() }) {
            switch item {
            case .submission(let submission): await run(submission)
            case .end(let runID): core.effectEnded(runID, self)
            case .taken: break
            }
        }
    }

    /// Looks after a while whether the same reduction still runs, although dispatches wait.
    private func watch(_ reduction: Int) {
        let moment = core.environment.now.saturatingAdding(Self.stallTime.wholeMilliseconds)
        let task = core.environment.startTask { [weak self, clock = core.environment.clock] in
            guard await clock.sleepUntil(moment) else { return }
            self?.endWatch(of: reduction)
        }
        queue.withLock { $0.watch = task }
    }

    private func endWatch(of reduction: Int) {
        let (stalled, next) = queue.withLock { $0.endWatch(of: reduction) }
        if let next { watch(next) }
        guard !stalled.isEmpty else { return }
        let fault = StoreFault.reducerStalled(seconds: Int(Self.stallTime / .seconds(1)))
        core.environment.report(fault)
        for receipt in stalled { receipt.fulfill(Receipt(.queued, revision: 0).with(fault)) }
    }

    private func run(_ submission: AsyncSubmission<State, Action>) async {
        let (finish, followUps, postLockWork) = await process(submission)
        for followUp in followUps { submit(followUp) }
        finish()
        postLockWork.perform()
        submission.envelope.ownGroup?.leave()
    }
}

extension AsyncStore {
    /// The work to do after the lock is released.
    private typealias Completed = (
        finish: @Sendable () -> Void, followUps: [QueuedActions<Action>], postLockWork: PostLockWork
    )

    private func process(_ submission: AsyncSubmission<State, Action>) async -> Completed {
        let (refusal, state): (Outcome?, State) = core.contents.withLock { contents in
            (core.refusal(submission.envelope, contents), contents.pointee.state)
        }
        let preview = Preview(of: core, submission.envelope, state)
        if let refusal { return finish(submission, preview) { _, _ in refusal } }
        let context = core.context(of: submission.envelope)
        var changes: [(Action, State)] = []
        for (index, action) in submission.actions.actions.enumerated() {
            var outcome = Outcome.ignored
            let before = changes.last?.1 ?? state
            do throws(Rejection) {
                if let action = withUnsafePointer(to: before, { core.intercept(action, context, $0, &outcome) }),
                    let after = try await reduced(before, action, show: { preview.show($0, by: action) })
                {
                    changes.append((action, after))
                    if let objection = objection(to: after) { throw objection }
                }
            } catch {
                core.report(error)
                outcome = .rejected(error, index: index)
            }
            if case .rejected(let rejection, _) = outcome {
                return finish(submission, preview) { _, _ in .rejected(rejection, index: index) }
            }
        }
        return finish(submission, preview) { [changes] contents, progress in
            commit(changes, of: submission.actions, contents, &progress)
        }
    }

    /// Why the observer cannot take a state; nil if it can.
    private func objection(to state: State) -> Rejection? {
        core.judgesStates ? core.contents.withLock { $0.pointee.observer?.objection(to: state) } : nil
    }

    private func reduced(
        _ state: State, _ action: Action, show: @Sendable (State) -> Void
    ) async throws(Rejection) -> State? {
        try await Reduction.run(in: core) { () async throws(Rejection) in
            try await reducer.reduce(state, action, show: show)
        }
    }

    /// Ends a submission under the lock: the effect that sent it, the commits, and the receipt.
    private func finish(
        _ submission: AsyncSubmission<State, Action>, _ preview: Preview<State, Action>,
        _ commit: (StoreCore<State, Action>.ContentsPointer, inout DispatchContext) -> Outcome
    ) -> Completed {
        core.contents.withLock { contents in
            preview.hide(contents)
            let state = contents.pointee.state
            var progress = DispatchContext(submission.envelope.details)
            // The store may have ended, or the effect been cancelled, while the reducer ran.
            let refusal = core.refusal(submission.envelope, contents)
            if let details = submission.envelope.details, details.endsEffect {
                core.end(details, contents, self)
            }
            let outcome = refusal ?? commit(contents, &progress)
            if outcome != .committed { preview.takeBack(contents) }
            var receipt = Receipt(outcome, revision: contents.pointee.revision, progress.followUps(in: self))
            if let fault = limitCascade(progress, contents) { receipt = receipt.with(fault) }
            let kept = submission.envelope.isDryRun ? state : nil
            if submission.completion == nil, case .rejected(let rejection, let index) = outcome {
                _ = core.refused(submission.actions, rejection, index: index, contents)
            }
            let nothing: @Sendable () -> Void = {}
            let finish = submission.completion?(receipt, contents) ?? nothing
            if let kept { contents.pointee.state = kept }
            core.notifyDispatchEnded(contents)
            return (finish, core.takeQueuedActions(contents), core.takePostLockWork(contents))
        }
    }

    /// Drops the actions that a commit dispatched if its cascade is too long or too wide.
    private func limitCascade(_ progress: DispatchContext, _ contents: StoreCore<State, Action>.ContentsPointer)
        -> StoreFault?
    {
        guard let effectGroup = progress.effectGroup, contents.pointee.pending?.queuedActions.isEmpty == false else {
            return nil
        }
        switch effectGroup.cascade(progress.depth, limit: core.environment.cascadeLimit) {
        case .continues: break
        case .stopsNow: return core.stopCascade(dropping: 0, contents)
        case .alreadyStopped: core.dropQueuedActions(contents)
        }
        return nil
    }

    private func commit(
        _ changes: [(Action, State)], of submission: QueuedActions<Action>,
        _ contents: StoreCore<State, Action>.ContentsPointer,
        _ progress: inout DispatchContext
    ) -> Outcome {
        let origin = submission.envelope.origin
        if core.needsAdmission(submission.envelope, contents), let observer = contents.pointee.observer,
            let last = changes.last, !observer.admits(last.1, from: origin, contents)
        {
            let index = changes.firstIndex { !observer.admits($0.1, from: origin, contents) } ?? changes.count - 1
            return .rejected(.stateTooLarge, index: index)
        }
        let readsPrevious = core.middleware.readsPreviousState
        let previous = changes.indices.map { index in
            readsPrevious ? (index == 0 ? contents.pointee.state : changes[index - 1].1) : nil
        }
        let abstentions = changes.indices.map { index in
            self.abstentions(changes[index].0, in: index == 0 ? contents.pointee.state : changes[index - 1].1, contents)
        }
        var answers: [[Effect<Action>?]] = []
        if var capacity = core.effectCapacity(for: submission.envelope, contents) {
            for (index, (action, state)) in changes.enumerated() {
                let place = (index, isLast: index == changes.count - 1)
                guard
                    let answer = core.reserveEffects(
                        action, place, state, previous: previous[index], abstentions[index], submission.envelope,
                        contents,
                        &capacity)
                else { return .rejected(.tooManyEffects, index: index) }
                answers.append(answer)
            }
        }
        if submission.envelope.isDryRun {
            // For the completion only: `finish` restores the state afterwards.
            if let last = changes.last { contents.pointee.state = last.1 }
            return changes.isEmpty ? .ignored : .committed
        }
        for (index, (action, state)) in changes.enumerated() {
            contents.pointee.state = state
            withOptionalPointer(to: previous[index]) {
                core.commit(
                    action, submission.envelope, endsBatch: index == changes.count - 1, contents, &progress, self,
                    previous: $0, answers: answers.isEmpty ? nil : answers[index], abstentions: abstentions[index])
            }
        }
        return changes.isEmpty ? .ignored : .committed
    }

    /// The parts of the reducer that ignored the action. An asynchronous reducer returns a state only, so its rules decide again.
    private func abstentions(
        _ action: Action, in state: State, _ contents: StoreCore<State, Action>.ContentsPointer
    ) -> Abstentions {
        guard let rules else { return Abstentions() }
        var abstentions = Abstentions()
        _ = core.contents.reducing(contents) { rules.decide(action, in: state, &abstentions) }
        return abstentions
    }
}

extension AsyncStore: ActionSink {
    @usableFromInline
    package func submit(_ submission: QueuedActions<Action>) { submit(AsyncSubmission(actions: submission)) }

    @usableFromInline
    package func effectEnded(_ runID: Int) { _ = enqueue(.end(runID), isBounded: false) }

    @usableFromInline
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
