/// One action, or a batch that is committed whole or not at all.
@usableFromInline
package struct QueuedActions<Action: Sendable>: Sendable {
    let first: Action
    let envelope: Envelope<Action>

    @usableFromInline
    package init(_ first: Action, _ envelope: Envelope<Action>) {
        self.first = first
        self.envelope = envelope
    }

    init(_ first: Action, origin: Origin, _ details: Envelope<Action>.Details? = nil) {
        self.init(first, Envelope(origin, details))
    }

    var actions: [Action] { [first] + (envelope.details?.remainingActions ?? []) }
}

/// The options of an action. They are separate from it, so that the action is copied only if it is queued.
@usableFromInline
package struct Envelope<Action: Sendable>: Sendable {
    @usableFromInline package let origin: Origin
    /// Nil for most actions, which then allocate nothing.
    @usableFromInline package let details: Details?

    @usableFromInline
    package final class Details: Sendable {
        /// The actions of a batch after the first.
        @usableFromInline package let remainingActions: [Action]
        /// The revisions at which the action may be committed; nil for any.
        @usableFromInline package let expectedRevisions: [Int]?
        /// The revision whose action caused this one.
        @usableFromInline package let cause: Int?
        /// The group that an effect's or a middleware's action belongs to.
        @usableFromInline package let effectGroup: EffectGroup?
        /// The effect run that sent the action, which must still be current; 0 for none.
        @usableFromInline package let effectRunID: Int
        /// Whether `sender` is over with it.
        @usableFromInline package let endsEffect: Bool
        /// Whether the action stands in for the result of an effect that exceeded its deadline.
        @usableFromInline package let isTimeout: Bool
        /// How many middlewares' actions led to this one.
        @usableFromInline package let depth: Int
        /// Whether it is a dry run, which commits nothing and starts no effect.
        @usableFromInline package let isDryRun: Bool
        /// The trace of the request.
        @usableFromInline package let trace: TraceContext?

        @usableFromInline
        package init(
            remainingActions: [Action] = [], expectedRevisions: [Int]? = nil, cause: Int? = nil,
            effectGroup: EffectGroup? = nil,
            effectRunID: Int = 0, endsEffect: Bool = false, isTimeout: Bool = false, depth: Int = 0,
            isDryRun: Bool = false,
            trace: TraceContext? = nil
        ) {
            self.remainingActions = remainingActions
            self.expectedRevisions = expectedRevisions
            self.cause = cause
            self.effectGroup = effectGroup
            self.effectRunID = effectRunID
            self.endsEffect = endsEffect
            self.isTimeout = isTimeout
            self.depth = depth
            self.isDryRun = isDryRun
            self.trace = trace
        }
    }

    @inlinable
    package init(_ origin: Origin, _ details: Details? = nil) {
        self.origin = origin
        self.details = details
    }

    @inlinable package var isDryRun: Bool { details?.isDryRun ?? false }

    /// The group that a middleware's action has entered itself, and leaves after it is processed.
    var ownGroup: EffectGroup? { details?.effectRunID == 0 ? details?.effectGroup : nil }

    /// The number of actions.
    var count: Int { 1 + (details?.remainingActions.count ?? 0) }
}

/// The pending work of a store: queued actions, effects, timers, and work for after the lock is released.
///
/// An idle store has none, so that it costs neither memory nor time.
@usableFromInline
package final class PendingWork<Action: Sendable> {
    /// Actions that were dispatched from inside, in order.
    var queuedActions: [QueuedActions<Action>] = []
    package var effects = EffectTable<Action>()
    var timers: [TimerGroup<Action>] = []
    var postLockWork = PostLockWork()
    /// Whether events of effects are deferred: inside a batch they would come before the commits that caused them.
    var defersEffectEvents = false
    /// The events that are deferred to the end of the batch.
    var deferredEffectEvents: [EffectEvent] = []

    @usableFromInline
    package init() {}

    var isEmpty: Bool { queuedActions.isEmpty && effects.isEmpty && timers.isEmpty && postLockWork.isEmpty }
}
