/// An effect that was started and has not ended.
struct RunningEffect: Sendable {
    let generation: Int
    let cause: Int
    let chain: Chain
    let task: Task<Void, Never>

    func cancel() {
        task.cancel()
        chain.leave()
    }
}

/// What is left to be told when the store's lock is free again: a waiter may well ask the store for its state.
struct Aftermath {
    var cancelled: [RunningEffect] = []
    /// The chains of what has ended, to be left once all that it started has entered them.
    var left: [Chain] = []

    mutating func append(_ other: Aftermath) {
        cancelled += other.cancelled
        left += other.left
    }

    func tell() {
        for effect in cancelled { effect.cancel() }
        for chain in left { chain.leave() }
    }
}
