import Platform
import Synchronization

/// The running and the queued effects of one store. A pure value: it applies the policies and starts nothing.
package struct EffectTable<Action: Sendable>: Sendable {
    /// An effect that is ready to start or waits in a queue.
    struct QueuedEffect {
        let request: EffectDescription<Action>
        let cause: Int
        let groups: [EffectGroup]
        /// The group that must settle before the effect begins.
        let after: EffectGroup?
    }

    /// The decision on a requested effect.
    enum Admission { case start, wait, drop }

    private var running: [RunningEffect] = []
    private var waiting: [QueuedEffect] = []
    /// The end of each throttling interval, in milliseconds since 1970.
    private var throttledUntil: [EffectID: Int] = [:]

    /// The number of running and queued effects, without timers.
    var count: Int { running.lazy.filter { !$0.isTimer }.count + waiting.count }

    package var ids: [EffectID] { running.filter { !$0.isTimer }.map(\.id) + waiting.map(\.request.id) }

    var isEmpty: Bool { running.isEmpty && waiting.isEmpty && throttledUntil.isEmpty }

    func isRunning(_ runID: Int) -> Bool { running.contains { $0.runID == runID } }

    /// The progress of a running effect; nil if it has ended or is a timer.
    func progress(of runID: Int) -> EffectContext? {
        running.first { $0.runID == runID }?.progress
    }

    /// Whether the effects of this many actions might exceed a limit, so that they must be counted first. One action is assumed
    /// to start one effect. An action that starts more may exceed the limit by those.
    func isNearEffectLimit(for actions: Int, limit: Int) -> Bool {
        if actions > 1 || count + actions > limit { return true }
        return running.contains { effect in
            guard case .queued(let most) = effect.policy else { return false }
            return queue(of: effect.id) + actions > most
        }
    }

    /// Applies the policy of `request`. Effects that the policy cancels are appended to `ended`.
    mutating func admit(_ request: EffectDescription<Action>, now: Int, ended: inout [RunningEffect]) -> Admission {
        switch request.policy {
        case .parallel: return .start
        case .latest, .debounced:
            cancel(request.id, ended: &ended)
            return .start
        case .leading: return runs(request.id) ? .drop : .start
        case .queued: return runs(request.id) ? .wait : .start
        case .throttled(let interval):
            throttledUntil = throttledUntil.filter { $0.value > now }
            guard throttledUntil[request.id] == nil else { return .drop }
            throttledUntil[request.id] = now.saturatingAdding(interval.wholeMilliseconds)
            return .start
        }
    }

    /// Reserves room for all steps of `effect`. False if they exceed a limit.
    mutating func reserve(_ effect: Effect<Action>, now: Int, limit: Int) -> Bool {
        (effect.steps ?? []).allSatisfy { step in
            switch step {
            case .run(let request): return reserve(request, now: now, limit: limit)
            case .cancel(let id):
                var ended: [RunningEffect] = []
                cancel(id, ended: &ended)
                return true
            case .dispatch, .timers: return true
            }
        }
    }

    private mutating func reserve(_ request: EffectDescription<Action>, now: Int, limit: Int) -> Bool {
        var ended: [RunningEffect] = []
        switch admit(request, now: now, ended: &ended) {
        case .drop: return true
        case .start:
            add(RunningEffect(id: request.id, runID: nextRunID(), policy: request.policy))
        case .wait:
            guard case .queued(let most) = request.policy, queue(of: request.id) < most else { return false }
            wait(QueuedEffect(request: request, cause: 0, groups: [], after: nil))
        }
        return count <= limit
    }

    mutating func wait(_ effect: QueuedEffect) { waiting.append(effect) }

    /// The number of the next run. It is unique in the process, so a store that has forgotten a run cannot mistake a later
    /// one for it.
    func nextRunID() -> Int { lastRunID.add(1, ordering: .relaxed).newValue }

    mutating func add(_ effect: RunningEffect) { running.append(effect) }

    /// Removes a run, and the queued effect that follows it.
    mutating func end(_ runID: Int) -> (ended: RunningEffect, next: QueuedEffect?)? {
        guard let place = running.firstIndex(where: { $0.runID == runID }) else { return nil }
        let ended = running.remove(at: place)
        guard case .queued = ended.policy, let next = waiting.firstIndex(where: { $0.request.id == ended.id }) else {
            return (ended, nil)
        }
        return (ended, waiting.remove(at: next))
    }

    /// Removes the running and the queued effects with this id.
    mutating func cancel(_ id: EffectID, ended: inout [RunningEffect]) {
        take(&ended) { $0 == id }
    }

    /// Removes the running and the queued effects. Timers stay.
    mutating func cancelEffects() -> [RunningEffect] {
        var ended: [RunningEffect] = []
        take(&ended) { _ in true }
        return ended
    }

    mutating func cancelAll() -> [RunningEffect] {
        var ended = cancelEffects()
        ended += running
        running = []
        return ended
    }

    private mutating func take(_ ended: inout [RunningEffect], where isMeant: (EffectID) -> Bool) {
        for effect in running where !effect.isTimer && isMeant(effect.id) { ended.append(effect) }
        running.removeAll { !$0.isTimer && isMeant($0.id) }
        for effect in waiting where isMeant(effect.request.id) {
            ended.append(
                RunningEffect(id: effect.request.id, runID: 0, policy: .parallel, groups: effect.groups))
        }
        waiting.removeAll { isMeant($0.request.id) }
    }

    private func runs(_ id: EffectID) -> Bool { running.contains { $0.id == id && !$0.isTimer } }

    private func queue(of id: EffectID) -> Int { waiting.lazy.filter { $0.request.id == id }.count }
}

private let lastRunID = Atomic(0)

/// An effect that has started and not ended, or a timer that is armed.
struct RunningEffect: Sendable {
    let id: EffectID
    /// Tells it from other runs of the same id.
    let runID: Int
    /// The policy of the effect; nil for a timer.
    let policy: EffectPolicy?
    /// The groups that count it. It leaves them when it ends or is cancelled.
    var groups: [EffectGroup] = []
    var task: Task<Void, Never>?
    /// Nil for a timer and for an effect that never started.
    var progress: EffectContext?

    var isTimer: Bool { policy == nil }

    /// Cancels the task and leaves the groups.
    func end() {
        task?.cancel()
        for effectGroup in groups { effectGroup.leave() }
    }
}

/// Work to do when the lock of the store is free again: a waiter may read the store.
@usableFromInline
package struct PostLockWork: Sendable {
    var ended: [RunningEffect] = []
    /// The groups of processed actions, to be left when everything that they started has entered.
    var left: [EffectGroup] = []

    var isEmpty: Bool { ended.isEmpty && left.isEmpty }

    @usableFromInline
    package func perform() {
        for effect in ended { effect.end() }
        for effectGroup in left { effectGroup.leave() }
    }
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

    var isEmpty: Bool {
        queuedActions.isEmpty && effects.isEmpty && timers.allSatisfy(\.isEmpty) && postLockWork.isEmpty
    }
}
