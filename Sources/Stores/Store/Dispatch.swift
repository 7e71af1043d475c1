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
        package let effects: [EffectID]
        package let effectGroup: EffectGroup?
        let fault: StoreFault?
        let cancel: @Sendable () -> Void

        init(
            effects: [EffectID], effectGroup: EffectGroup?, fault: StoreFault?,
            cancel: @escaping @Sendable () -> Void = {}
        ) {
            self.effects = effects
            self.effectGroup = effectGroup
            self.fault = fault
            self.cancel = cancel
        }
    }

    @inlinable
    package init(_ outcome: Outcome, revision: Int, _ followUps: FollowUps? = nil) {
        self.outcome = outcome
        self.revision = revision
        self.followUps = followUps
    }

    /// A copy of this receipt with a fault.
    @usableFromInline
    package func with(_ fault: StoreFault) -> Receipt {
        let nothing: @Sendable () -> Void = {}
        let cancel = followUps?.cancel ?? nothing
        return Receipt(
            outcome, revision: revision,
            FollowUps(effects: effects, effectGroup: effectGroup, fault: fault, cancel: cancel))
    }

    /// The effects that the action started or queued.
    public var effects: [EffectID] { followUps?.effects ?? [] }

    /// The fault that the store contained in the actions that followed; nil if there was none.
    public var fault: StoreFault? { followUps?.fault }

    /// The effects that the action started, and those that their actions started; nil if there are none.
    package var effectGroup: EffectGroup? { followUps?.effectGroup }

    /// Waits until every effect that the action started, and those that their actions started, has ended.
    public func settled() async { await effectGroup?.settled() }

    /// Cancels the effects that the action started, and those that their actions started.
    ///
    /// Actions that these effects still send are not reduced. The state stays as it is, and timers continue. The
    /// reducer of the store must not call it: see ``Reducer``. An action that was queued (``Outcome/queued``) cannot be
    /// cancelled by its receipt.
    public func cancel() { followUps?.cancel() }
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

/// One action, or a batch that is committed whole or not at all.
@usableFromInline
package struct QueuedActions<Action: Sendable>: Sendable {
    @usableFromInline package let first: Action
    @usableFromInline package let envelope: Envelope<Action>

    @inlinable
    package init(_ first: Action, _ envelope: Envelope<Action>) {
        self.first = first
        self.envelope = envelope
    }

    @inlinable
    package init(_ first: Action, origin: Origin, _ details: Envelope<Action>.Details? = nil) {
        self.init(first, Envelope(origin, details))
    }

    var actions: [Action] { [first] + (envelope.details?.remainingActions ?? []) }
}

/// The options of an action. They are separate from it, so that the action is copied only if it is queued.
@usableFromInline
package struct Envelope<Action: Sendable>: Sendable {
    @usableFromInline package let origin: Origin
    /// Whether the state decides if the actor may send the action: see ``MiddlewareStack/refusal(of:in:)``.
    @usableFromInline package let isOfVisitor: Bool
    /// Nil for most actions, which then allocate nothing.
    @usableFromInline package let details: Details?
    /// The actor that the host names. Not among the details, which would be allocated for it.
    @usableFromInline package let actor: Actor?

    @usableFromInline
    package final class Details: Sendable {
        /// The actions of a batch after the first.
        @usableFromInline package let remainingActions: [Action]
        /// The revisions at which the action may be committed; nil for any.
        @usableFromInline package let expectedRevisions: [Int]?
        /// The revision whose action caused this one; nil if no action did.
        @usableFromInline package let cause: Int?
        /// The group that an effect's or a middleware's action belongs to.
        @usableFromInline package let effectGroup: EffectGroup?
        /// The part whose middleware sent the action, if that may be removed before the action's turn.
        @usableFromInline package let path: EffectPath?
        /// The effect run that sent the action, which must still be current; 0 for none.
        @usableFromInline package let effectRunID: Int
        /// Whether this is the last action of that effect run.
        @usableFromInline package let endsEffect: Bool
        /// Whether the action stands in for the result of an effect that exceeded its deadline.
        @usableFromInline package let isTimeout: Bool
        /// How many middlewares' actions led to this one.
        @usableFromInline package let depth: Int
        /// Whether it is a dry run, which commits nothing and starts no effect.
        @usableFromInline package let isDryRun: Bool
        /// Whether the observer must admit the state before it is committed.
        @usableFromInline package let asksBeforeCommit: Bool
        /// The trace of the request.
        @usableFromInline package let trace: TraceContext?
        /// Whether the sender may not send the action any more; nil if that cannot change. It is asked inside the store.
        @usableFromInline package let isWithdrawn: (@Sendable () -> Bool)?
        /// Tells the observer whose commit it is; nil if the host does not ask.
        @usableFromInline package let tag: (any AnyObject & Sendable)?

        @inlinable
        package init(
            remainingActions: [Action] = [], expectedRevisions: [Int]? = nil, cause: Int? = nil,
            effectGroup: EffectGroup? = nil, path: EffectPath? = nil,
            effectRunID: Int = 0, endsEffect: Bool = false, isTimeout: Bool = false, depth: Int = 0,
            isDryRun: Bool = false, asksBeforeCommit: Bool = false,
            trace: TraceContext? = nil, isWithdrawn: (@Sendable () -> Bool)? = nil,
            tag: (any AnyObject & Sendable)? = nil
        ) {
            self.remainingActions = remainingActions
            self.expectedRevisions = expectedRevisions
            // No action made revision 0.
            self.cause = cause == 0 ? nil : cause
            self.effectGroup = effectGroup
            self.path = path
            self.effectRunID = effectRunID
            self.endsEffect = endsEffect
            self.isTimeout = isTimeout
            self.depth = depth
            self.isDryRun = isDryRun
            self.asksBeforeCommit = asksBeforeCommit
            self.trace = trace
            self.isWithdrawn = isWithdrawn
            self.tag = tag
        }
    }

    @inlinable
    package init(
        _ origin: Origin, _ details: Details? = nil, by actor: Actor? = nil, isOfVisitor: Bool = false
    ) {
        self.origin = origin
        self.isOfVisitor = isOfVisitor
        self.details = details
        self.actor = actor
    }

    /// The sender of the action.
    @inlinable package var sender: Actor { Actor(of: origin, named: actor) }

    @inlinable package var isDryRun: Bool { details?.isDryRun ?? false }

    /// The group that a middleware's action has entered itself, and leaves after it is processed.
    @inlinable package var ownGroup: EffectGroup? { details?.effectRunID == 0 ? details?.effectGroup : nil }

    /// The number of actions.
    @inlinable package var count: Int { 1 + (details?.remainingActions.count ?? 0) }
}
