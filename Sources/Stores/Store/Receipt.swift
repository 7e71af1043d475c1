/// What came of a dispatch.
public struct Receipt: Sendable {
    /// How it ended.
    public let outcome: Outcome
    /// The store's revision after it; 0 where the action was queued or turned away.
    public let revision: Int
    /// The effects that it started.
    public let effects: [EffectID]
    /// What it set going; nil where nothing runs.
    package let chain: Chain?

    init(_ outcome: Outcome, revision: Int, effects: [EffectID] = [], chain: Chain? = nil) {
        self.outcome = outcome
        self.revision = revision
        self.effects = effects
        self.chain = chain
    }

    /// Waits until every effect that the action started, and those that their actions started, has ended.
    public func settled() async {
        guard let chain else { return }
        await withCheckedContinuation { continuation in
            chain.whenSettled { continuation.resume() }
        }
    }
}

/// How a dispatch ended.
public enum Outcome: Sendable, Hashable {
    /// At least one action made a revision.
    case committed
    /// No action had anything to do now.
    case ignored
    /// The reducer refused; of a batch, the action at `index`, and none was committed.
    case rejected(Rejection, index: Int)
    /// The store is at another revision than the sender asked for; nothing was tried.
    case revisionMismatch
    /// Sent from inside a notification: it runs when the action before it is done.
    case queued
    /// Too many actions wait; nothing was tried.
    case overloaded
    /// The store has ended, or the effect that sent the action was cancelled.
    case ended
}
