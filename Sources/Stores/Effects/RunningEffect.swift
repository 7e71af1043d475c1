/// An effect that was started and has not ended, or a timer that is armed.
struct RunningEffect: Sendable {
    let id: EffectID
    /// Once in a store: what tells it from another run of the same id.
    let generation: Int
    /// What an effect's id means for the next of the same; nil for a timer.
    let policy: EffectPolicy?
    /// What waits for it. Left when it ends or is cancelled.
    var chains: [Chain] = []
    var task: Task<Void, Never>?
    /// How it gets on; nil for a timer, and for what never started.
    var progress: EffectProgress?

    var isTimer: Bool { policy == nil }

    /// Ends what may still run of it, and tells those who wait.
    func end() {
        task?.cancel()
        for chain in chains { chain.leave() }
    }
}

/// What is left to be told when the store's lock is free again: a waiter may well ask the store for its state.
@usableFromInline
struct Aftermath: Sendable {
    var ended: [RunningEffect] = []
    /// The chains of what is done with, to be left once all that it started has entered them.
    var left: [Chain] = []

    var isEmpty: Bool { ended.isEmpty && left.isEmpty }

    @usableFromInline
    func tell() {
        for effect in ended { effect.end() }
        for chain in left { chain.leave() }
    }
}
