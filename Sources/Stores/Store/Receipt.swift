/// The result of a dispatch.
public struct Receipt: Sendable {
    /// The outcome.
    public let outcome: Outcome
    /// The revision of the store after the dispatch; 0 if the action was queued.
    public let revision: Int
    /// The effects and faults that followed; nil if there are none.
    @usableFromInline package let followUps: FollowUps?

    @usableFromInline
    package final class FollowUps: Sendable {
        let effects: [EffectID]
        let effectGroup: EffectGroup?
        let fault: StoreFault?

        init(effects: [EffectID], effectGroup: EffectGroup?, fault: StoreFault?) {
            self.effects = effects
            self.effectGroup = effectGroup
            self.fault = fault
        }
    }

    @inlinable
    package init(_ outcome: Outcome, revision: Int, _ followUps: FollowUps? = nil) {
        self.outcome = outcome
        self.revision = revision
        self.followUps = followUps
    }

    /// The same receipt with a fault.
    @usableFromInline
    package func with(_ fault: StoreFault) -> Receipt {
        Receipt(outcome, revision: revision, FollowUps(effects: effects, effectGroup: effectGroup, fault: fault))
    }

    /// The effects that the action started or queued.
    public var effects: [EffectID] { followUps?.effects ?? [] }

    /// The fault that the store contained in the actions that followed; nil if there was none.
    public var fault: StoreFault? { followUps?.fault }

    /// The effects that the action started, and those that their actions started; nil if there are none.
    package var effectGroup: EffectGroup? { followUps?.effectGroup }

    /// Waits until every effect that the action started, and those that their actions started, has ended.
    public func settled() async { await effectGroup?.settled() }
}

/// The outcome of a dispatch.
public enum Outcome: Sendable, Hashable {
    /// At least one action was committed.
    case committed
    /// Every action was ignored.
    case ignored
    /// The reducer or a middleware rejected the action at `index` of the batch. None was committed.
    case rejected(Rejection, index: Int)
    /// The store is at another revision than expected. Nothing was reduced.
    case revisionMismatch
    /// The action came from inside a notification. It is reduced after the current one.
    case queued
    /// Too many actions are queued. Nothing was reduced.
    case overloaded
    /// The store has ended, or the effect that sent the action was cancelled.
    case ended
}

extension Rejection {
    /// An action that would start more effects than the store, or the queue of one, may have.
    public static let tooManyEffects: Rejection = "too-many-effects"
}
