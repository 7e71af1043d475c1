/// What came of a dispatch.
public struct Receipt: Sendable {
    /// How it ended.
    public let outcome: Outcome
    /// The store's revision after it; 0 where the action was queued or turned away.
    public let revision: Int
    /// What it set going; nil where that is nothing.
    @usableFromInline package let sequel: FollowUps?

    @usableFromInline
    package final class FollowUps: Sendable {
        let effects: [EffectID]
        let chain: EffectGroup?
        let fault: StoreFault?

        init(effects: [EffectID], chain: EffectGroup?, fault: StoreFault?) {
            self.effects = effects
            self.chain = chain
            self.fault = fault
        }
    }

    @inlinable
    package init(_ outcome: Outcome, revision: Int, _ sequel: FollowUps? = nil) {
        self.outcome = outcome
        self.revision = revision
        self.sequel = sequel
    }

    /// The same with what was contained after it.
    @usableFromInline
    package func with(_ fault: StoreFault) -> Receipt {
        Receipt(outcome, revision: revision, FollowUps(effects: effects, chain: chain, fault: fault))
    }

    /// The effects that it started or put in line.
    public var effects: [EffectID] { sequel?.effects ?? [] }

    /// What the store had to contain in the actions that followed from this one.
    public var fault: StoreFault? { sequel?.fault }

    /// What it set going; nil where nothing runs.
    package var chain: EffectGroup? { sequel?.chain }

    /// Waits until every effect that the action started, and those that their actions started, has ended.
    public func settled() async { await chain?.settled() }
}

/// How a dispatch ended.
public enum Outcome: Sendable, Hashable {
    /// At least one action made a revision.
    case committed
    /// No action had anything to do now.
    case ignored
    /// The reducer or a middleware refused; of a batch, the action at `index`, and none was committed.
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

extension Rejection {
    /// An action that would start more effects than the store, or the queue of one, may have.
    public static let tooManyEffects: Rejection = "too-many-effects"
}
