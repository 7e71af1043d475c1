/// The actions that a program has sent and that are not decided, by the keys of their entries.
@MainActor
final class Handles {
    private var sent: [Int: SentAction] = [:]
    private var effects = EffectWaits()
    private var flushing: [Stage<Void>] = []

    subscript(key: Int) -> SentAction? {
        get { sent[key] }
        set { sent[key] = newValue }
    }

    /// An entry is no longer pending.
    ///
    /// - Parameter hearsEffects: whether events tell when effects have ended.
    func left(_ entry: Entry, _ error: (any Error)?, hearsEffects: Bool) {
        guard let handle = sent.removeValue(forKey: entry.key) else { return }
        if let error { return handle.fail(error) }
        guard let result = entry.result else { return }
        if let refusal = ActionRejected(result) { return handle.fail(refusal) }
        let isCommitted = result.outcome == .committed
        handle.succeed(.init(isCommitted: isCommitted, revision: result.revision, effects: result.effects))
        let revisions = result.revision - entry.actions.count + 1...result.revision
        let count = isCommitted ? result.effects.count : 0
        effects.wait(for: revisions, count: count, isHeard: hearsEffects) { isSettled in
            MainActor.assumeIsolated { handle.settle(isSettled) }
        }
    }

    func heardEffect(phase: String, cause: Int) { effects.hear(phase: phase, cause: cause) }

    /// The ends of effects are not told again.
    func loseEffects() { effects.lose() }

    /// Is done when ``idle()`` was called.
    func waitForIdle() -> Stage<Void> {
        let promise = Stage<Void>()
        flushing.append(promise)
        return promise
    }

    /// Nothing is pending.
    func idle() {
        for promise in flushing { promise.succeed(()) }
        flushing = []
    }

    func close() {
        for handle in sent.values { handle.fail(ConnectionEnded(reason: "closed")) }
        sent = [:]
        effects.lose()
        idle()
    }
}
