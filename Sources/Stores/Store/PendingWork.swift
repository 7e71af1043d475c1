/// The pending work of a store: queued actions, effects, timers, and work for after the lock is released.
///
/// An idle store has none, so that it costs neither memory nor time.
@usableFromInline
package final class PendingWork<Action: Sendable> {
    /// Actions that were dispatched from inside, in order.
    @usableFromInline package var queuedActions: [QueuedActions<Action>] = []
    @usableFromInline package var effects = EffectTable<Action>()
    @usableFromInline package var timers: [TimerGroup<Action>] = []
    @usableFromInline package var postLockWork = PostLockWork()
    /// Whether events of effects are deferred: inside a batch they would come before the commits that caused them.
    @usableFromInline package var defersEffectEvents = false
    /// The events that are deferred to the end of the batch.
    @usableFromInline package var deferredEffectEvents: [EffectEvent] = []

    @inlinable
    package init() {}

    @inlinable package var isEmpty: Bool {
        queuedActions.isEmpty && effects.isEmpty && timers.allSatisfy { $0.isEmpty } && postLockWork.isEmpty
    }

    /// Whether nothing is pending but armed timers.
    var hasOnlyTimers: Bool {
        queuedActions.isEmpty && effects.count == 0 && effects.throttles.isEmpty && postLockWork.isEmpty
    }
}
