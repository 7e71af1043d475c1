public import JSON
public import Stores

/// A store of any kind behind JSON: actions come in as JSON, states and patches go out as JSON.
///
/// It consists of two references: the store, and its kind's `HostedStoreVTable`.
@usableFromInline
package struct HostedStore: Sendable {
    @usableFromInline let store: any AnyObject & Sendable
    @usableFromInline let vtable: HostedStoreVTable

    @inlinable
    init(_ store: any AnyObject & Sendable, _ vtable: HostedStoreVTable) {
        self.store = store
        self.vtable = vtable
    }

    @usableFromInline package typealias Completion = @Sendable (DispatchResult) -> Void

    /// Dispatches an action, or a batch if `body` is an array, and calls `done` once with the result.
    ///
    /// `done` is called on the calling thread before this returns, or later on another thread; never inside the store.
    package func dispatch(
        _ body: JSONValue, _ options: DispatchOptions, done: @escaping @Sendable (DispatchResult) -> Void
    ) {
        if let result = dispatch(body, options, makeCompletion: { done }) { done(result) }
    }

    /// Dispatches an action, or a batch if `body` is an array, and returns the result if it is there at once.
    ///
    /// - Parameter makeCompletion: makes the completion if the result is not there at once. The completion is called once:
    ///   before this returns nil, or later on another thread. It is never called inside the store.
    package func dispatch(
        _ body: JSONValue, _ options: DispatchOptions, makeCompletion: () -> Completion
    ) -> DispatchResult? {
        vtable.dispatch(store, body, options, makeCompletion)
    }

    /// The revision, and the selected value of that revision.
    package func read(_ selection: Selection = .root) -> EncodedState {
        var found = EncodedState(revision: 0, json: [])
        inspect { found = EncodedState(revision: $0.revision, json: $0.encoded(selection)) }
        return found
    }

    /// The revision now.
    package var revision: Int {
        var found = 0
        inspect { found = $0.revision }
        return found
    }

    /// The members of the state now, some of them perhaps twice; empty if the kind names none.
    package var members: [ActorID] {
        var found: [ActorID] = []
        inspect { found = $0.members ?? [] }
        return found
    }

    /// Calls `body` with the state now. No action is reduced meanwhile, so it must be quick and must not dispatch.
    package func inspect(_ body: (borrowing StateView) -> Void) { vtable.inspect(store, body) }

    /// Calls `observer` with the state at the end of each commit or batch, in order, inside the store.
    package func watch(_ observer: @escaping @Sendable (borrowing StateView) -> Void) -> Subscription {
        vtable.watch(store, observer)
    }

    /// Notifies `watcher` of each commit or batch, in order, inside the store, until the store ends.
    ///
    /// A store has one watcher, which costs less memory than a subscription.
    package func attach(_ watcher: any CommitWatcher) { vtable.attach(store, watcher) }

    /// Calls `observer` with the events of effects, inside the store, in order with the commits of ``watch(_:)``: an effect
    /// starts after the commit that caused it, and ends before the commit of its last action.
    package func watchEffects(_ observer: @escaping @Sendable (EffectEvent) -> Void) -> Subscription {
        vtable.watchEffects(store, observer)
    }

    /// The names of the effects that run or are queued.
    package var runningEffects: [String] { vtable.runningEffects(store) }

    /// Whether an effect is about to bring a result, so that a shutdown waits for it: see ``EffectActivity``.
    package func hasAwaitedEffects(at now: ContinuousClock.Instant) -> Bool { vtable.hasAwaitedEffects(store, now) }

    /// Resumes a store that was made from a persisted state: effects that were interrupted are reported as failed, and timers are
    /// set again.
    ///
    /// The actions that follow have the origin `system`. If the kind's migrations have changed the state, that is
    /// committed first, as `store/migrated`. Call it once, before anything else.
    package func resume() { resume(asCopy: false) }

    /// Commits the pending migration of the state, if there is one. ``resume()`` does it too.
    package func migrate() { vtable.migrate(store) }

    /// Resumes as ``resume()`` does.
    ///
    /// - Parameter isCopy: whether the state was copied from another store, which continues with it: then this one repeats no call.
    package func resume(asCopy isCopy: Bool) { vtable.resume(store, isCopy) }

    /// Lets its effects and timers rest, until it is used: see ``Dormancy``. Call it before ``resume()``.
    package func rest(_ dormancy: Dormancy) { vtable.rest(store, dormancy) }

    /// Names the store, so that its calls can be told from those of any other.
    ///
    /// - Parameter identity: the same after a restart.
    package func identify(as identity: String) { vtable.identify(store, identity) }

    /// The state now, as it is persisted; another store can begin with it.
    package func snapshot() -> (revision: Int, state: StateSnapshot) { vtable.snapshot(store) }

    /// Cancels the effects. Nothing is committed after that.
    package func end() { vtable.end(store) }

    /// Ends the store if it is idle: no action, effect or timer is pending, and it has no subscriber.
    ///
    /// - Parameter condition: called inside the store, so that no commit comes between its result and the end.
    /// - Returns: whether it has ended. The newest commit is then its last.
    package func endIfIdle(and condition: () -> Bool) -> Bool { vtable.endIfIdle(store, false, condition) }

    /// Ends the store if no action or effect is pending. It may have subscribers and armed timers: another store that begins with
    /// its state arms them again.
    ///
    /// - Parameter condition: as for ``endIfIdle(and:)``.
    /// - Returns: whether it has ended. The newest commit is then its last.
    package func endIfQuiet(and condition: () -> Bool) -> Bool { vtable.endIfIdle(store, true, condition) }

    /// Closes the store if its state allows that: nothing is committed after that. ``end()`` has to follow, which ends its effects.
    ///
    /// - Parameter condition: called inside the store with the newest state, so that no commit comes between its result and the close.
    /// - Returns: whether it is closed.
    package func close(if condition: (borrowing StateView) -> Bool) -> Bool { vtable.close(store, condition) }

    /// How its timers use it.
    package var timerUse: TimerUse { vtable.timerUse(store) }
}

/// Is notified of the commits of one store, which retains it until the store ends.
@usableFromInline
package protocol CommitWatcher: AnyObject, Sendable {
    /// Called at the end of each commit or batch, inside the store.
    func committed(_ state: borrowing StateView)
}

/// The operations on the stores of one kind.
///
/// Its closures are made where the types of state and action are known, so that the compiler specializes the dispatch path. A
/// protocol existential would call the unspecialized witnesses of a generic type.
@usableFromInline
final class HostedStoreVTable: Sendable {
    @usableFromInline
    typealias Dispatch =
        @Sendable (AnyObject, JSONValue, DispatchOptions, () -> HostedStore.Completion) -> DispatchResult?

    let dispatch: Dispatch
    let inspect: @Sendable (AnyObject, (borrowing StateView) -> Void) -> Void
    let watch: @Sendable (AnyObject, @escaping @Sendable (borrowing StateView) -> Void) -> Subscription
    let attach: @Sendable (AnyObject, any CommitWatcher) -> Void
    let watchEffects: @Sendable (AnyObject, @escaping @Sendable (EffectEvent) -> Void) -> Subscription
    let runningEffects: @Sendable (AnyObject) -> [String]
    let hasAwaitedEffects: @Sendable (AnyObject, ContinuousClock.Instant) -> Bool
    let migrate: @Sendable (AnyObject) -> Void
    let resume: @Sendable (AnyObject, _ isCopy: Bool) -> Void
    let rest: @Sendable (AnyObject, Dormancy) -> Void
    let identify: @Sendable (AnyObject, String) -> Void
    let snapshot: @Sendable (AnyObject) -> (revision: Int, state: StateSnapshot)
    let end: @Sendable (AnyObject) -> Void
    let endIfIdle: @Sendable (AnyObject, Bool, () -> Bool) -> Bool
    let close: @Sendable (AnyObject, (borrowing StateView) -> Bool) -> Bool
    let timerUse: @Sendable (AnyObject) -> TimerUse

    @usableFromInline
    init(
        dispatch: @escaping Dispatch,
        inspect: @escaping @Sendable (AnyObject, (borrowing StateView) -> Void) -> Void,
        watch: @escaping @Sendable (AnyObject, @escaping @Sendable (borrowing StateView) -> Void) -> Subscription,
        attach: @escaping @Sendable (AnyObject, any CommitWatcher) -> Void,
        watchEffects: @escaping @Sendable (AnyObject, @escaping @Sendable (EffectEvent) -> Void) -> Subscription,
        runningEffects: @escaping @Sendable (AnyObject) -> [String],
        hasAwaitedEffects: @escaping @Sendable (AnyObject, ContinuousClock.Instant) -> Bool,
        migrate: @escaping @Sendable (AnyObject) -> Void,
        resume: @escaping @Sendable (AnyObject, _ isCopy: Bool) -> Void,
        rest: @escaping @Sendable (AnyObject, Dormancy) -> Void,
        identify: @escaping @Sendable (AnyObject, String) -> Void,
        snapshot: @escaping @Sendable (AnyObject) -> (revision: Int, state: StateSnapshot),
        end: @escaping @Sendable (AnyObject) -> Void,
        endIfIdle: @escaping @Sendable (AnyObject, Bool, () -> Bool) -> Bool,
        close: @escaping @Sendable (AnyObject, (borrowing StateView) -> Bool) -> Bool,
        timerUse: @escaping @Sendable (AnyObject) -> TimerUse
    ) {
        self.dispatch = dispatch
        self.inspect = inspect
        self.watch = watch
        self.attach = attach
        self.watchEffects = watchEffects
        self.runningEffects = runningEffects
        self.hasAwaitedEffects = hasAwaitedEffects
        self.migrate = migrate
        self.resume = resume
        self.rest = rest
        self.identify = identify
        self.snapshot = snapshot
        self.end = end
        self.endIfIdle = endIfIdle
        self.close = close
        self.timerUse = timerUse
    }
}

extension HostedStoreVTable {
    /// The operations of `host`.
    @inlinable
    convenience init<Engine: HostableStore>(_ host: StoreCoding<Engine>) {
        // The casts hold: a hosted store is made by its kind, together with this table.
        self.init(
            dispatch: { host.submit($1, to: unsafeDowncast($0, to: Engine.self), $2, makeCompletion: $3) },
            inspect: { host.inspect(unsafeDowncast($0, to: Engine.self), $1) },
            watch: { host.watch(unsafeDowncast($0, to: Engine.self), $1) },
            attach: { host.attach($1, to: unsafeDowncast($0, to: Engine.self)) },
            watchEffects: { host.watchEffects(unsafeDowncast($0, to: Engine.self), $1) },
            runningEffects: { host.runningEffects(unsafeDowncast($0, to: Engine.self)) },
            hasAwaitedEffects: { host.hasAwaitedEffects(unsafeDowncast($0, to: Engine.self), at: $1) },
            migrate: { host.migrate(unsafeDowncast($0, to: Engine.self)) },
            resume: { host.resume(unsafeDowncast($0, to: Engine.self), asCopy: $1) },
            rest: { unsafeDowncast($0, to: Engine.self).core.rest($1) },
            identify: { host.identify(unsafeDowncast($0, to: Engine.self), as: $1) },
            snapshot: { host.snapshot(unsafeDowncast($0, to: Engine.self)) },
            end: { host.end(unsafeDowncast($0, to: Engine.self)) },
            endIfIdle: { host.endIfIdle(unsafeDowncast($0, to: Engine.self), exceptTimers: $1, and: $2) },
            close: { host.close(unsafeDowncast($0, to: Engine.self), if: $1) },
            timerUse: { host.timerUse(unsafeDowncast($0, to: Engine.self)) })
    }
}
