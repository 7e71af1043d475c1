/// What the stores have in common: the one copy of the state, its revision, the effects that run, and who watches.
///
/// How an action becomes the next state is the store's; everything from the commit on is here.
@usableFromInline
package final class StoreCore<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline
    package struct Contents {
        @usableFromInline package var state: State
        @usableFromInline package var revision = 0
        @usableFromInline package var hasEnded = false
        /// Whether an action is being processed, so that one that comes from inside is known as such.
        @usableFromInline package var isBusy = false
        /// Whether the reducer runs: see ``StoreLock``.
        @usableFromInline package var isReducing = false
        /// What is under way; nil where nothing is, which is most of the time.
        @usableFromInline package var pending: PendingWork<Action>?
        /// Made when the first one comes.
        @usableFromInline package var subscribers: Subscribers<State, Action>?
        /// Observes commits before anyone else; nil for a store without a host.
        @usableFromInline package let observer: (any CommitObserver<State, Action>)?

        @inlinable
        package init(state: State, observer: (any CommitObserver<State, Action>)?) {
            self.state = state
            self.observer = observer
        }

        /// What is under way, made where nothing was.
        @usableFromInline package var agenda: PendingWork<Action> {
            mutating get {
                let agenda = pending ?? PendingWork()
                pending = agenda
                return agenda
            }
        }
    }

    /// Where the contents stand while the lock is held.
    @usableFromInline package typealias ContentsPointer = UnsafeMutablePointer<Contents>

    // Guards the state and all that belongs to a commit; held while an action is reduced and told to subscribers, who may
    // come back and read. Taken before the locks of subscribers and chains.
    @usableFromInline package let contents: StoreLock<State, Action>
    @usableFromInline package let middleware: MiddlewareStack<State, Action>
    @usableFromInline package let environment: StoreEnvironment

    @inlinable
    package init(
        _ state: State, _ middleware: MiddlewareStack<State, Action>, _ environment: StoreEnvironment,
        _ observer: sending (any CommitObserver<State, Action>)?
    ) {
        contents = StoreLock(Contents(state: state, observer: observer))
        self.middleware = middleware
        self.environment = environment
    }

    /// Why what `envelope` comes with must not be tried now; nil where it may.
    @inlinable
    package func refusal(_ envelope: Envelope<Action>, _ contents: ContentsPointer) -> Outcome? {
        if contents.pointee.hasEnded { return .ended }
        guard let details = envelope.details else { return nil }
        if details.sender != 0, !isCurrent(details.sender, contents) { return .ended }
        if let expected = details.expectedRevisions, !expected.contains(contents.pointee.revision) {
            return .revisionMismatch
        }
        return nil
    }

    /// What the middlewares make of `action`; nil where it goes no further, and `outcome` says how it ended.
    @inlinable
    package func intercept(_ action: Action, _ state: UnsafePointer<State>, _ outcome: inout Outcome) -> Action? {
        var action = action
        for interceptor in middleware.interceptors {
            switch interceptor.intercept(action, in: state.pointee) {
            case .pass: continue
            case .replace(let other): action = other
            case .stop:
                outcome = .ignored
                return nil
            case .reject(let rejection):
                outcome = .rejected(rejection, index: 0)
                return nil
            }
        }
        return action
    }

    /// Makes the revision of `action`, whose state is in place: tells the subscribers, then asks the middleware.
    @inlinable
    package func commit(
        _ action: Action, _ envelope: Envelope<Action>, endsBatch: Bool, _ contents: ContentsPointer,
        _ progress: inout DispatchContext, _ door: any ActionSink<Action>
    ) {
        contents.pointee.revision += 1
        let observer = contents.pointee.observer
        if observer == nil, middleware.responders.elements.isEmpty, contents.pointee.subscribers == nil { return }
        let revision = contents.pointee.revision
        let cause = envelope.details?.cause
        var stage: EffectGroup?
        lend(action) { action in
            let commit = Commit(
                revision: revision, origin: envelope.origin, cause: cause, endsBatch: endsBatch, action: action,
                state: Self.state(in: contents))
            observer?.committed(commit, at: environment.clock.now())
            contents.pointee.subscribers?.tell(commit)
            if endsBatch, contents.pointee.pending != nil { tellNews(contents) }
            for responder in middleware.responders.elements {
                let effect = responder._withUnsafeGuaranteedRef { $0.respond(commit) }
                if effect.steps == nil { continue }
                perform(effect, cause: revision, endsBatch: endsBatch, contents, &progress, &stage, door)
            }
        }
    }

    @inlinable
    package static func state(in contents: ContentsPointer) -> UnsafePointer<State> {
        // The state is the first member, so it stands where the contents stand.
        UnsafeRawPointer(contents).assumingMemoryBound(to: State.self)
    }

    /// Reports a rejection that is the program's fault.
    @usableFromInline
    package func report(_ rejection: Rejection) {
        if rejection.isFault { environment.report(.invariantBroken(rejection.reason)) }
    }

    func observe(_ observer: @escaping @Sendable (State) -> Void, _ contents: ContentsPointer) -> Subscription {
        observer(contents.pointee.state)
        return subscribe({ observer($0.state) }, contents)
    }

    package func subscribe(_ subscriber: @escaping Subscribers<State, Action>.Subscriber, _ contents: ContentsPointer)
        -> Subscription
    {
        madeSubscribers(contents).add(subscriber, of: self)
    }

    func madeSubscribers(_ contents: ContentsPointer) -> Subscribers<State, Action> {
        let subscribers = contents.pointee.subscribers ?? Subscribers()
        contents.pointee.subscribers = subscribers
        return subscribers
    }

    func takeInbox(_ contents: ContentsPointer) -> [QueuedActions<Action>] {
        guard let agenda = contents.pointee.pending else { return [] }
        defer { agenda.inbox = [] }
        return agenda.inbox
    }

    /// What came from inside, to be run next; nil where nothing did.
    func nextInbox(_ contents: ContentsPointer) -> [QueuedActions<Action>]? {
        let queued = takeInbox(contents)
        return queued.isEmpty ? nil : queued
    }

    /// Drops what still waits behind the action at hand.
    @usableFromInline
    package func stopCascade(dropping count: Int, _ contents: ContentsPointer) -> StoreFault {
        let count = count + dropInbox(contents)
        let fault = StoreFault.cascadeStopped(limit: environment.cascadeLimit, dropped: count)
        environment.report(fault)
        return fault
    }

    /// - Returns: how many actions were dropped.
    @discardableResult
    func dropInbox(_ contents: ContentsPointer) -> Int {
        let waiting = takeInbox(contents)
        contents.pointee.agenda.aftermath.left += waiting.compactMap(\.envelope.ownChain)
        return waiting.count
    }

    /// Ends where nothing is under way and nobody watches.
    @usableFromInline
    package func retire() -> Bool {
        contents.withLock { contents in
            let isIdle = !contents.pointee.isBusy && contents.pointee.pending?.isEmpty != false
            guard isIdle, contents.pointee.subscribers?.isEmpty != false else { return false }
            contents.pointee.hasEnded = true
            return true
        }
    }

    /// Cancels every effect and disarms the timers; nothing is committed from then on.
    @usableFromInline
    package func end() {
        let cancelled: [RunningEffect] = contents.withLock { contents in
            contents.pointee.hasEnded = true
            contents.pointee.pending?.timers = []
            let cancelled = contents.pointee.pending?.effects.cancelAll() ?? []
            for effect in cancelled { tell(.cancelled, effect.progress, contents) }
            return cancelled
        }
        for effect in cancelled { effect.end() }
    }
}

/// What a submission has set going so far.
@usableFromInline
package struct DispatchContext {
    @usableFromInline package var chain: EffectGroup?
    /// Nil for none, which costs nothing.
    var effects: [EffectID]?
    /// How far the actions that follow are from the one that began it.
    let depth: Int
    /// What a chain that is made belongs to.
    let trace: TraceContext?

    @usableFromInline
    package init(chain: EffectGroup?, depth: Int, trace: TraceContext? = nil) {
        self.chain = chain
        self.depth = depth
        self.trace = trace
    }

    @inlinable
    package init<Action>(_ details: Envelope<Action>.Details?) {
        if let details {
            self.init(chain: details.chain, depth: details.depth, trace: details.trace)
        } else {
            self.init(chain: nil, depth: 0)
        }
    }

    @inlinable package var sequel: Receipt.FollowUps? { chain == nil ? nil : told }

    @usableFromInline package var told: Receipt.FollowUps {
        Receipt.FollowUps(effects: effects ?? [], chain: chain, fault: nil)
    }
}

/// The way into a store for what it set going itself; it does not keep the store alive.
@usableFromInline
package protocol ActionSink<Action>: AnyObject, Sendable {
    associatedtype Action: Sendable

    func take(_ submission: QueuedActions<Action>)
    /// Takes out an effect that has ended without a word, once what it emitted before has been reduced.
    func finish(_ generation: Int)
    /// Takes out an effect that never began, because its commit did not become durable.
    func abandon(_ generation: Int)
    /// Tells that an effect makes a call once more.
    func retries(_ generation: Int)
}

/// Lends the place of `value`. Compiled apart from its callers: inlined into them, it would copy the value.
@usableFromInline
@inline(never)
package func lend<Value>(_ value: Value, _ body: (UnsafePointer<Value>) -> Void) { withUnsafePointer(to: value, body) }
