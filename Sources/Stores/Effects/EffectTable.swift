import Platform
import Synchronization

/// The effects of one store: which run, which wait, and what the policies make of a new one. It starts nothing by itself.
package struct EffectTable<Action: Sendable>: Sendable {
    /// An effect in a queue.
    struct Waiting {
        let request: EffectDescription<Action>
        let cause: Int
        let chains: [EffectGroup]
        /// What has to be over before it begins.
        let after: EffectGroup?
    }

    /// What is to be done with a new effect.
    enum Admission { case start, wait, drop }

    private var running: [RunningEffect] = []
    private var waiting: [Waiting] = []
    /// Until when the throttled ids are held back.
    private var held: [EffectID: Int] = [:]

    /// How many run or wait; timers do not count.
    var count: Int { running.lazy.filter { !$0.isTimer }.count + waiting.count }

    package var ids: [EffectID] { running.filter { !$0.isTimer }.map(\.id) + waiting.map(\.request.id) }

    /// Whether there is nothing to remember.
    var isEmpty: Bool { running.isEmpty && waiting.isEmpty && held.isEmpty }

    func isRunning(_ generation: Int) -> Bool { running.contains { $0.generation == generation } }

    /// How the effect of that run gets on; nil where it has ended, or is a timer.
    func progress(of generation: Int) -> EffectContext? {
        running.first { $0.generation == generation }?.progress
    }

    /// Whether the effects of so many actions might not fit, so that they have to be tried first. One action is taken to
    /// start one effect; where it starts more, it may pass the limit by those.
    func isTight(for actions: Int, limit: Int) -> Bool {
        if actions > 1 || count + actions > limit { return true }
        return running.contains { effect in
            guard case .queued(let most) = effect.policy else { return false }
            return queue(of: effect.id) + actions > most
        }
    }

    /// What the policy of `request` makes of it; what it ends goes to `ended`.
    mutating func admit(_ request: EffectDescription<Action>, now: Int, ended: inout [RunningEffect]) -> Admission {
        switch request.policy {
        case .parallel: return .start
        case .latest, .debounced:
            cancel(request.id, ended: &ended)
            return .start
        case .leading: return runs(request.id) ? .drop : .start
        case .queued: return runs(request.id) ? .wait : .start
        case .throttled(let interval):
            held = held.filter { $0.value > now }
            guard held[request.id] == nil else { return .drop }
            held[request.id] = now.saturatingAdding(interval.wholeMilliseconds)
            return .start
        }
    }

    /// Whether all of `effect` fits, counted as if it ran or waited from then on.
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
            add(RunningEffect(id: request.id, generation: nextGeneration(), policy: request.policy))
        case .wait:
            guard case .queued(let most) = request.policy, queue(of: request.id) < most else { return false }
            wait(Waiting(request: request, cause: 0, chains: [], after: nil))
        }
        return count <= limit
    }

    mutating func wait(_ effect: Waiting) { waiting.append(effect) }

    /// The number that the next effect or timer will run under: never given twice in the process, so that what a store
    /// forgets cannot come back to it.
    func nextGeneration() -> Int { lastGeneration.add(1, ordering: .relaxed).newValue }

    mutating func add(_ effect: RunningEffect) { running.append(effect) }

    /// Takes an effect out, and the one whose turn it is then.
    mutating func end(_ generation: Int) -> (ended: RunningEffect, next: Waiting?)? {
        guard let place = running.firstIndex(where: { $0.generation == generation }) else { return nil }
        let ended = running.remove(at: place)
        guard case .queued = ended.policy, let next = waiting.firstIndex(where: { $0.request.id == ended.id }) else {
            return (ended, nil)
        }
        return (ended, waiting.remove(at: next))
    }

    /// Takes out what runs and waits under `id`.
    mutating func cancel(_ id: EffectID, ended: inout [RunningEffect]) {
        take(&ended) { $0 == id }
    }

    mutating func cancelAll() -> [RunningEffect] {
        var ended: [RunningEffect] = []
        take(&ended) { _ in true }
        ended += running
        running = []
        return ended
    }

    private mutating func take(_ ended: inout [RunningEffect], where isMeant: (EffectID) -> Bool) {
        for effect in running where !effect.isTimer && isMeant(effect.id) { ended.append(effect) }
        running.removeAll { !$0.isTimer && isMeant($0.id) }
        for effect in waiting where isMeant(effect.request.id) {
            ended.append(
                RunningEffect(id: effect.request.id, generation: 0, policy: .parallel, chains: effect.chains))
        }
        waiting.removeAll { isMeant($0.request.id) }
    }

    private func runs(_ id: EffectID) -> Bool { running.contains { $0.id == id && !$0.isTimer } }

    private func queue(of id: EffectID) -> Int { waiting.lazy.filter { $0.request.id == id }.count }
}

private let lastGeneration = Atomic(0)

/// An effect that was started and has not ended, or a timer that is armed.
struct RunningEffect: Sendable {
    let id: EffectID
    /// Once in a store: what tells it from another run of the same id.
    let generation: Int
    /// What an effect's id means for the next of the same; nil for a timer.
    let policy: EffectPolicy?
    /// What waits for it. Left when it ends or is cancelled.
    var chains: [EffectGroup] = []
    var task: Task<Void, Never>?
    /// How it gets on; nil for a timer, and for what never started.
    var progress: EffectContext?

    var isTimer: Bool { policy == nil }

    /// Ends what may still run of it, and tells those who wait.
    func end() {
        task?.cancel()
        for chain in chains { chain.leave() }
    }
}

/// What is left to be told when the store's lock is free again: a waiter may well ask the store for its state.
@usableFromInline
package struct PostLockWork: Sendable {
    var ended: [RunningEffect] = []
    /// The chains of what is done with, to be left once all that it started has entered them.
    var left: [EffectGroup] = []

    var isEmpty: Bool { ended.isEmpty && left.isEmpty }

    @usableFromInline
    package func tell() {
        for effect in ended { effect.end() }
        for chain in left { chain.leave() }
    }
}
