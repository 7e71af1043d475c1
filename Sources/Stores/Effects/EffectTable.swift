import CPortable
import Platform

/// The running and the queued effects of one store. It applies the policies and starts nothing.
@usableFromInline
package struct EffectTable<Action: Sendable>: Sendable {
    /// An effect that is ready to start or waits in a queue.
    @usableFromInline
    package struct QueuedEffect: Sendable {
        @usableFromInline package let request: EffectDescription<Action>
        /// The number of its run, also while it waits.
        @usableFromInline package let runID: Int
        @usableFromInline package let cause: Int
        /// The group that counts it; nil if it is only reserved.
        @usableFromInline package let group: EffectGroup?

        @inlinable
        package init(request: EffectDescription<Action>, runID: Int, cause: Int, group: EffectGroup?) {
            self.request = request
            self.runID = runID
            self.cause = cause
            self.group = group
        }

        /// The effect as one that ends before it has started.
        @inlinable package var unstarted: RunningEffect {
            RunningEffect(key: request.key, runID: runID, policy: request.policy, group: group)
        }
    }

    /// The decision on a requested effect.
    @usableFromInline
    package enum Admission { case start, wait, drop }

    @usableFromInline package var running: [RunningEffect] = []
    @usableFromInline package var waiting: [QueuedEffect] = []
    @usableFromInline package var throttles: [EffectKey: Throttle] = [:]
    /// In a copy that reserves effects: how many follow from actions that are sent at once.
    private var promised = 0
    /// The removable parts that the others belong to.
    @usableFromInline package var parts = LiveParts()

    @inlinable
    package init() {}

    /// The number of running and queued effects, without timers.
    @inlinable package var count: Int { running.lazy.filter { !$0.isTimer }.count + waiting.count }

    package var ids: [EffectID] { running.filter { !$0.isTimer }.map(\.key.id) + waiting.map(\.request.key.id) }

    @inlinable package var isEmpty: Bool { running.isEmpty && waiting.isEmpty && throttles.isEmpty }

    @inlinable
    package func isRunning(_ runID: Int) -> Bool { running.contains { $0.runID == runID } }

    /// Whether a shutdown waits for one of the running effects. Those in a queue follow it, and count when they start.
    package func isAwaited(at now: ContinuousClock.Instant) -> Bool {
        running.contains { $0.progress?.isAwaited(at: now) == true }
    }

    /// The progress of a running effect; nil if it has ended or is a timer.
    func progress(of runID: Int) -> EffectContext? {
        running.first { $0.runID == runID }?.progress
    }

    /// Whether the effects of this many actions might exceed a limit, so that they must be counted first. One action is assumed
    /// to start one effect. An action that starts more may exceed the limit by those.
    @inlinable
    package func isNearEffectLimit(for actions: Int, limit: Int) -> Bool {
        if actions > 1 || count + actions > limit { return true }
        if throttles.count + actions > Self.throttles(within: limit) { return true }
        return running.contains { effect in
            guard case .queued(let most) = effect.policy else { return false }
            return queue(of: effect.key) + actions > most
        }
    }

    /// Applies the policy of `request`, which may delay it. Effects that the policy cancels are appended to `ended`.
    ///
    /// - Parameters:
    ///   - runID: the number of the run that is requested.
    ///   - answer: the last run before the answer of the middleware that requests it. The policy does not regard later runs:
    ///     they belong to the same answer.
    @inlinable
    package mutating func admit(
        _ request: inout EffectDescription<Action>, as runID: Int, after answer: Int, now: Int,
        ended: inout [RunningEffect]
    ) -> Admission {
        let key = request.key
        if key.path.mayEnd { note(key.path) }
        switch request.policy {
        case .parallel: return .start
        case .latest, .debounced:
            take(&ended) { $0.key == key && $0.runID <= answer }
            return .start
        case .leading: return running.contains { $0.isEffect(key) && $0.runID <= answer } ? .drop : .start
        case .queued: return running.contains { $0.isEffect(key) } ? .wait : .start
        case .throttled(let interval, let latest):
            return throttle(
                &request, as: runID, after: answer, now: now, every: interval, keepsLast: latest, ended: &ended)
        }
    }

    @usableFromInline
    mutating func throttle(
        _ request: inout EffectDescription<Action>, as runID: Int, after answer: Int, now: Int,
        every interval: Duration, keepsLast: Bool, ended: inout [RunningEffect]
    ) -> Admission {
        forgetThrottles(at: now)
        var throttle = throttles[request.key] ?? Throttle()
        let start = throttle.admit(runID, now: now, interval.wholeMilliseconds, keepsLast: keepsLast, after: answer)
        throttles[request.key] = throttle
        guard let start else { return .drop }
        request.delay += .milliseconds(start.delay)
        take(&ended) { start.replaced.contains($0.runID) }
        return .start
    }

    @usableFromInline
    mutating func note(_ path: EffectPath) { parts.insert(path) }

    /// Removes the effects of parts that are gone, and the intervals of their throttled effects.
    ///
    /// - Parameter takeGone: looks at the parts, and takes those that are gone.
    package mutating func takeMissing(
        _ ended: inout [RunningEffect], _ takeGone: (inout LiveParts) -> Set<EffectPath>
    ) {
        forgetUnusedParts()
        if parts.isEmpty { return }
        let gone = takeGone(&parts)
        if gone.isEmpty { return }
        take(&ended) { gone.contains($0.key.path) }
        throttles = throttles.filter { !gone.contains($0.key.path) }
    }

    mutating func forgetUnusedParts() {
        parts.forgetUnused(
            running.map(\.key.path) + waiting.map(\.request.key.path) + throttles.keys.map(\.path),
            count: running.count + waiting.count + throttles.count)
    }

    /// Forgets the throttles that no longer affect an effect.
    @usableFromInline
    package mutating func forgetThrottles(at now: Int) {
        if !throttles.isEmpty { throttles = throttles.filter { !$0.value.isOver(at: now) } }
    }

    /// Reserves room for all steps of `effect`. False if they exceed a limit.
    mutating func reserve(_ effect: Effect<Action>, now: Int, limit: Int) -> Bool {
        let answer = Self.lastRunID
        return (effect.steps ?? []).allSatisfy { step in
            switch step {
            case .run(let request): return reserve(request, after: answer, now: now, limit: limit)
            case .cancel(let key):
                var ended: [RunningEffect] = []
                cancel(key, ended: &ended)
                return true
            // An action that asks for its moment starts an effect at once.
            case .dispatchAt:
                promised += 1
                return count + promised <= limit
            case .dispatch, .timers: return true
            }
        }
    }

    private mutating func reserve(
        _ request: EffectDescription<Action>, after answer: Int, now: Int, limit: Int
    ) -> Bool {
        var ended: [RunningEffect] = []
        var request = request
        let runID = nextRunID()
        let admission = admit(&request, as: runID, after: answer, now: now, ended: &ended)
        let effect = QueuedEffect(request: request, runID: runID, cause: 0, group: nil)
        switch admission {
        case .drop: return true
        case .start: add(effect.unstarted)
        case .wait:
            guard case .queued(let most) = request.policy, queue(of: request.key) < most else { return false }
            wait(effect)
        }
        // A throttle stays for its interval, and ids may be the texts of users.
        return count + promised <= limit && throttles.count <= Self.throttles(within: limit)
    }

    /// How many throttled ids there may be if so many effects may run.
    @usableFromInline
    static func throttles(within limit: Int) -> Int { limit.multipliedReportingOverflow(by: 16).partialValue }

    @inlinable
    package mutating func wait(_ effect: QueuedEffect) { waiting.append(effect) }

    /// The number of the next run. It is unique in the process, so a store that has forgotten a run cannot mistake a later
    /// one for it.
    @inlinable
    package func nextRunID() -> Int { RunningEffect.nextRunID() }

    /// Each run that is requested later has a higher number.
    @inlinable package static var lastRunID: Int { RunningEffect.lastRunID }

    @inlinable
    package mutating func add(_ effect: RunningEffect) { running.append(effect) }

    /// Removes a run, and the queued effect that follows it.
    @inlinable
    package mutating func end(_ runID: Int) -> (ended: RunningEffect, next: QueuedEffect?)? {
        guard let place = running.firstIndex(where: { $0.runID == runID }) else { return nil }
        let ended = running.remove(at: place)
        return (ended, next(behind: ended))
    }

    /// Removes the queued effect that follows a run which has ended.
    @inlinable
    package mutating func next(behind ended: RunningEffect) -> QueuedEffect? {
        guard case .queued = ended.policy, !running.contains(where: { $0.isEffect(ended.key) }),
            let next = waiting.firstIndex(where: { $0.request.key == ended.key })
        else { return nil }
        return waiting.remove(at: next)
    }

    /// Removes the running and the queued effects with this key.
    @inlinable
    package mutating func cancel(_ key: EffectKey, ended: inout [RunningEffect]) {
        take(&ended) { $0.key == key }
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

    /// Removes the running and the queued effects that `isMeant` chooses. Timers stay.
    @inlinable
    package mutating func take(_ ended: inout [RunningEffect], where isMeant: (RunningEffect) -> Bool) {
        if running.isEmpty, waiting.isEmpty { return }
        let taken = running.filter { !$0.isTimer && isMeant($0) } + waiting.map(\.unstarted).filter(isMeant)
        guard !taken.isEmpty else { return }
        let runs = Set(taken.map(\.runID))
        running.removeAll { runs.contains($0.runID) }
        waiting.removeAll { runs.contains($0.runID) }
        for effect in taken { throttles[effect.key]?.forget(effect.runID) }
        ended += taken
    }

    @usableFromInline
    func queue(of key: EffectKey) -> Int { waiting.lazy.filter { $0.request.key == key }.count }
}

/// An effect that has started and not ended, or a timer that is armed.
@usableFromInline
package struct RunningEffect: Sendable {
    @usableFromInline package let key: EffectKey
    /// Tells it from other runs of the same id.
    @usableFromInline package let runID: Int
    /// The policy of the effect; nil for a timer.
    @usableFromInline package let policy: EffectPolicy?
    /// The group that counts it; nil for a timer. It leaves the group when it ends or is cancelled.
    @usableFromInline package var group: EffectGroup?
    @usableFromInline package var task: Task<Void, Never>?
    /// Nil for a timer and for an effect that never started.
    @usableFromInline package var progress: EffectContext?

    @inlinable
    package init(
        key: EffectKey, runID: Int, policy: EffectPolicy?, group: EffectGroup? = nil, task: Task<Void, Never>? = nil,
        progress: EffectContext? = nil
    ) {
        self.key = key
        self.runID = runID
        self.policy = policy
        self.group = group
        self.task = task
        self.progress = progress
    }

    @usableFromInline
    static func nextRunID() -> Int { Int(truncatingIfNeeded: next_unique_number()) }

    /// No run that begins from now on has this number or a smaller one.
    @usableFromInline static var lastRunID: Int { Int(truncatingIfNeeded: last_unique_number()) }

    @inlinable package var isTimer: Bool { policy == nil }

    @usableFromInline
    package func isEffect(_ key: EffectKey) -> Bool { !isTimer && self.key == key }

    /// Cancels the task and leaves the group.
    func end() {
        task?.cancel()
        group?.leave()
    }
}

/// Work to do when the lock of the store is free again: a waiter may read the store.
@usableFromInline
package struct PostLockWork: Sendable {
    @usableFromInline package var ended: [RunningEffect] = []
    /// The groups of processed actions, to be left when everything that they started has entered.
    @usableFromInline package var left: [EffectGroup] = []

    @inlinable
    package init() {}

    @inlinable package var isEmpty: Bool { ended.isEmpty && left.isEmpty }

    @usableFromInline
    package func perform() {
        for effect in ended { effect.end() }
        for effectGroup in left { effectGroup.leave() }
    }
}
