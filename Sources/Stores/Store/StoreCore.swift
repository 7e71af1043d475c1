/// The common part of ``Store`` and ``AsyncStore``: the state and its revision, the running effects, and the subscribers.
///
/// The stores differ in how an action is reduced. Everything from the commit on is here.
@usableFromInline
package final class StoreCore<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline
    package struct Contents {
        // It must be the first property: a pointer to the contents is read as one to the state.
        @usableFromInline package var state: State
        @usableFromInline package var revision = 0
        @usableFromInline package var hasEnded = false
        /// Whether an action is being processed. One that is dispatched meanwhile comes from inside, and is queued.
        @usableFromInline package var isBusy = false
        /// Whether the reducer runs: see ``StoreLock``.
        @usableFromInline package var isReducing = false
        @usableFromInline package var dormancy = Dormancy.awake
        /// Whether the observer must admit a state before it is committed. The observer sets it.
        @usableFromInline package var asksBeforeCommit = false
        /// Queued actions, effects and timers; nil if there are none, which is most of the time.
        @usableFromInline package var pending: PendingWork<Action>?
        /// When a timer fired last, by `StoreEnvironment.steadyNow`; 0 if none did.
        @usableFromInline package var lastFiring = 0
        /// Nil before the first subscription.
        @usableFromInline package var subscribers: Subscribers<State, Action>?
        /// The host's observer, called before the subscribers; nil for a store without a host.
        @usableFromInline package let observer: (any CommitObserver<State, Action>)?

        @inlinable
        package init(state: State, observer: (any CommitObserver<State, Action>)?) {
            self.state = state
            self.observer = observer
        }

        /// ``pending``, which is made if there was none.
        @inlinable package var madePendingWork: PendingWork<Action> {
            mutating get {
                let work = pending ?? PendingWork()
                pending = work
                return work
            }
        }
    }

    /// A pointer to the contents, valid while the lock is held.
    @usableFromInline package typealias ContentsPointer = UnsafeMutablePointer<Contents>

    // Guards the state and everything that belongs to a commit. Held while an action is reduced, and while subscribers
    // are notified: they may read the store. Taken before the locks of subscribers and effect groups.
    @usableFromInline package let contents: StoreLock<State, Action>
    @usableFromInline package let middleware: MiddlewareStack<State, Action>
    @usableFromInline package let environment: StoreEnvironment
    /// Whether the observer is asked of each state before its commit.
    @usableFromInline package let judgesStates: Bool

    @inlinable
    package init(
        _ state: State, _ middleware: MiddlewareStack<State, Action>, _ environment: StoreEnvironment,
        _ observer: sending (any CommitObserver<State, Action>)?
    ) {
        judgesStates = observer?.judgesStates ?? false
        contents = StoreLock(Contents(state: state, observer: observer))
        self.middleware = middleware
        self.environment = environment
    }

    /// The reason why the actions of `envelope` must not be reduced now; nil if there is none.
    @inlinable
    package func refusal(_ envelope: Envelope<Action>, _ contents: ContentsPointer) -> Outcome? {
        if contents.pointee.hasEnded { return .ended }
        guard let details = envelope.details else { return nil }
        if details.effectRunID != 0, !isCurrent(details.effectRunID, contents) { return .ended }
        if details.effectGroup != nil, isCancelled(details, contents) { return .ended }
        if let expected = details.expectedRevisions, !expected.contains(contents.pointee.revision) {
            return .revisionMismatch
        }
        // Last, so that it is asked only of an action that would be reduced now.
        if details.isWithdrawn?() == true { return .ended }
        return nil
    }

    /// The sender and the time of an action, for the interceptors and the access of its sender; nil if there are none.
    @inlinable
    package func context(of envelope: Envelope<Action>) -> ActionContext? {
        if middleware.interceptors.isEmpty, !envelope.isOfVisitor { return nil }
        return ActionContext(actor: envelope.sender, now: environment.now, isOfVisitor: envelope.isOfVisitor)
    }

    /// Whether something happens before an action is reduced.
    @inlinable
    package func precedesReducer(_ envelope: Envelope<Action>) -> Bool {
        middleware.precedesReducer || envelope.isOfVisitor
    }

    /// The action after all interceptors; nil if one of them stopped it, with the reason in `outcome`.
    ///
    /// - Parameter context: of its envelope.
    @inlinable
    package func intercept(
        _ action: Action, _ context: ActionContext?, _ state: UnsafePointer<State>, _ outcome: inout Outcome
    ) -> Action? {
        guard let context else { return action }
        if context.isOfVisitor, let refusal = middleware.refusal(of: context, in: state) {
            outcome = .rejected(refusal, index: 0)
            return nil
        }
        var action = action
        for intercept in middleware.interceptors {
            switch intercept(action, state.pointee, context) {
            case .pass: continue
            case .replace(let other): action = other
            case .stop:
                outcome = .ignored
                return nil
            case .reject(let rejection):
                report(rejection)
                outcome = .rejected(rejection, index: 0)
                return nil
            }
        }
        return action
    }

    /// Commits `action`, whose state is in place: notifies the observer and the subscribers, then runs the middleware's effects.
    ///
    /// - Parameters:
    ///   - previous: the state before the action, if a middleware asks for it.
    ///   - answers: the effects of the middlewares that were asked already, in their order; nil if none was asked.
    ///   - abstentions: the parts of the reducer that ignored the action.
    @inlinable
    package func commit(
        _ action: Action, _ envelope: Envelope<Action>, endsBatch: Bool, _ contents: ContentsPointer,
        _ progress: inout DispatchContext, _ sink: some ActionSink<Action>, previous: UnsafePointer<State>? = nil,
        answers: [Effect<Action>?]? = nil, abstentions: Abstentions = Abstentions()
    ) {
        contents.pointee.revision += 1
        if !contents.pointee.dormancy.isAwake { wake(for: envelope.origin, contents) }
        let observer = contents.pointee.observer
        if observer == nil, middleware.responders.elements.isEmpty, contents.pointee.subscribers == nil { return }
        let revision = contents.pointee.revision
        let cause = envelope.details?.cause
        // Apart from the commit, which all middlewares and parts of the store would have to pass on.
        if let tag = envelope.details?.tag { observer?.willCommit(for: tag) }
        withPointer(to: action) { action in
            let commit = Commit(
                revision: revision, origin: envelope.origin, actor: envelope.actor, cause: cause, endsBatch: endsBatch,
                action: action, state: Self.state(in: contents), previous: previous)
            observer?.committed(commit, at: environment.now)
            contents.pointee.subscribers?.notify(commit)
            if contents.pointee.pending != nil {
                if endsBatch { flushDeferredEvents(contents) }
                endMissingParts(endsBatch: endsBatch, contents, sink)
            }
            for (index, responder) in middleware.responders.elements.enumerated() {
                let effect =
                    answers?[index] ?? responder._withUnsafeGuaranteedRef { $0.respond(to: commit, abstentions) }
                if effect.steps == nil { continue }
                perform(effect, cause: revision, endsBatch: endsBatch, contents, &progress, sink)
            }
        }
    }

    /// Tells the observer that the result of a dispatch is known.
    @inlinable
    package func notifyDispatchEnded(_ contents: ContentsPointer) {
        contents.pointee.observer?.dispatchEnded(
            in: Self.state(in: contents), at: contents.pointee.revision,
            nextDeadline: contents.pointee.pending == nil ? nil : contents.pointee.nextDeadline,
            asksBeforeCommit: &contents.pointee.asksBeforeCommit)
    }

    @inlinable
    package static func state(in contents: ContentsPointer) -> UnsafePointer<State> {
        // The state is the first member, so it has the address of the contents.
        UnsafeRawPointer(contents).assumingMemoryBound(to: State.self)
    }

    /// Whether a state that would be committed must be admitted by the observer first.
    func needsAdmission(_ envelope: Envelope<Action>, _ contents: ContentsPointer) -> Bool {
        contents.pointee.observer != nil
            && (contents.pointee.asksBeforeCommit || envelope.details?.asksBeforeCommit == true)
    }

    /// Whether the action was dropped before its turn: its dispatch was cancelled, or its part is gone.
    @usableFromInline
    package func isCancelled(_ details: Envelope<Action>.Details, _ contents: ContentsPointer) -> Bool {
        if details.effectGroup?.isCancelled == true { return true }
        return details.path.map { middleware.isGone($0, in: contents.pointee.state) } ?? false
    }

    /// Calls `body` with a copy of the state, if a middleware asks for the state before an action.
    @inlinable
    package func withPreviousState<Result>(
        _ contents: ContentsPointer, _ body: (UnsafePointer<State>?) -> Result
    ) -> Result {
        guard middleware.readsPreviousState else { return body(nil) }
        return withOptionalPointer(to: contents.pointee.state, body)
    }

    /// Reports a rejection that is a fault of the program.
    @usableFromInline
    package func report(_ rejection: Rejection) {
        if let fault = rejection.fault { environment.report(fault) }
    }

    func observe(_ observer: @escaping @Sendable (State) -> Void, _ contents: ContentsPointer) -> Subscription {
        observer(contents.pointee.state)
        return madeSubscribers(contents).add({ observer($0.state) }, of: self, readsStates: true)
    }

    package func subscribe(_ subscriber: @escaping Subscribers<State, Action>.Subscriber, _ contents: ContentsPointer)
        -> Subscription
    {
        madeSubscribers(contents).add(subscriber, of: self)
    }

    func madeSubscribers(_ contents: ContentsPointer) -> Subscribers<State, Action> {
        let subscribers = contents.pointee.subscribers ?? Subscribers()
        contents.pointee.subscribers = subscribers
        if contents.pointee.hasEnded { subscribers.finish() }
        return subscribers
    }

    @inlinable
    func takeQueuedActions(_ contents: ContentsPointer) -> [QueuedActions<Action>] {
        guard let work = contents.pointee.pending else { return [] }
        defer { work.queuedActions = [] }
        return work.queuedActions
    }

    /// The actions that were dispatched from inside, to be reduced next; nil if there are none.
    @inlinable
    func nextQueuedActions(_ contents: ContentsPointer) -> [QueuedActions<Action>]? {
        let queued = takeQueuedActions(contents)
        return queued.isEmpty ? nil : queued
    }

    /// Drops the actions that are queued behind the current one.
    @usableFromInline
    package func stopCascade(dropping count: Int, _ contents: ContentsPointer) -> StoreFault {
        let count = count + dropQueuedActions(contents)
        let fault = StoreFault.cascadeStopped(limit: environment.cascadeLimit, dropped: count)
        environment.report(fault)
        return fault
    }

    /// - Returns: how many actions were dropped.
    @discardableResult
    func dropQueuedActions(_ contents: ContentsPointer) -> Int {
        let waiting = takeQueuedActions(contents)
        contents.pointee.madePendingWork.postLockWork.left += waiting.compactMap(\.envelope.ownGroup)
        return waiting.count
    }

    /// Ends the store if nothing is pending and it has no subscriber.
    ///
    /// - Parameter exceptTimers: whether it may end with subscribers and armed timers.
    @usableFromInline
    package func endIfIdle(exceptTimers: Bool = false) -> Bool {
        let now = environment.now
        return contents.withLock { contents in
            contents.pointee.pending?.effects.forgetThrottles(at: now)
            let work = contents.pointee.pending
            guard !contents.pointee.isBusy else { return false }
            if exceptTimers {
                guard work?.hasOnlyTimers != false else { return false }
            } else {
                guard work?.isEmpty != false, contents.pointee.subscribers?.isEmpty != false else { return false }
            }
            contents.pointee.hasEnded = true
            return true
        }
    }

    /// Cancels all effects and timers. Nothing is committed after that.
    @usableFromInline
    package func end() {
        let cancelled: [RunningEffect] = contents.withLock { contents in
            contents.pointee.hasEnded = true
            contents.pointee.pending?.timers = []
            let cancelled = contents.pointee.pending?.effects.cancelAll() ?? []
            for effect in cancelled { notify(.cancelled, effect.progress, contents) }
            contents.pointee.subscribers?.finish()
            return cancelled
        }
        for effect in cancelled { effect.end() }
    }

    /// Cancels all effects. The timers and the store continue.
    package func cancelEffects(_ sink: some ActionSink<Action>) {
        let cancelled: [RunningEffect] = contents.withLock { contents in
            let cancelled = contents.pointee.pending?.effects.cancelEffects() ?? []
            for effect in cancelled { notify(.cancelled, effect.progress, contents) }
            retryTimers(contents, sink)
            return cancelled
        }
        for effect in cancelled { effect.end() }
    }
}

/// The effects that a dispatch has started so far, with its depth and its trace.
@usableFromInline
package struct DispatchContext {
    @usableFromInline package var effectGroup: EffectGroup?
    /// Nil for none, which allocates nothing.
    @usableFromInline var effects: [EffectID]?
    /// How many middlewares' actions led to this one.
    @usableFromInline let depth: Int
    /// The trace of a new effect group.
    let trace: TraceContext?

    @usableFromInline
    package init(effectGroup: EffectGroup?, depth: Int, trace: TraceContext? = nil) {
        self.effectGroup = effectGroup
        self.depth = depth
        self.trace = trace
    }

    @inlinable
    package init<Action>(_ details: Envelope<Action>.Details?) {
        if let details {
            self.init(effectGroup: details.effectGroup, depth: details.depth, trace: details.trace)
        } else {
            self.init(effectGroup: nil, depth: 0)
        }
    }

    @inlinable
    package func followUps(in store: some ActionSink) -> Receipt.FollowUps? {
        effectGroup == nil ? nil : madeFollowUps(in: store)
    }

    @usableFromInline
    package func madeFollowUps(in store: some ActionSink) -> Receipt.FollowUps {
        Receipt.FollowUps(effects: effects ?? [], effectGroup: effectGroup, fault: nil) { [weak store, effectGroup] in
            if let effectGroup { store?.cancelEffects(of: effectGroup) }
        }
    }
}

/// A store as its own effects and timers see it. They hold it weakly.
@usableFromInline
package protocol ActionSink<Action>: AnyObject, Sendable {
    associatedtype Action: Sendable

    func submit(_ submission: QueuedActions<Action>)
    /// Removes an effect that ended without a last action, once the actions that it emitted have been reduced.
    func effectEnded(_ runID: Int)
    /// Removes an effect that never began, because its commit did not become durable.
    func effectAbandoned(_ runID: Int)
    /// Notifies observers that an effect retries its call.
    func effectRetries(_ runID: Int)
    /// Reports an action that an effect has emitted after its end.
    func effectEmittedLate(_ action: Action)
    /// Cancels the effects of a group.
    func cancelEffects(of group: EffectGroup)
}
