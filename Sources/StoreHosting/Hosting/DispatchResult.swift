public import Stores

/// How a client wants its action dispatched.
@usableFromInline
package struct DispatchOptions: Sendable {
    /// The revisions at which the action may be committed; nil for any.
    @usableFromInline
    package var expectedRevisions: [Int]?
    /// The part of the state that the result contains; nil for none.
    @usableFromInline
    package var selection: Selection?
    /// Whether it is a dry run, which commits nothing and starts no effect.
    @usableFromInline
    package var isDryRun: Bool
    /// Makes the record of the request, which is persisted in one transaction with the commits of the dispatch.
    ///
    /// It is called inside the store, so it must be quick and must not dispatch. It is not called for a dry run, nor for a result
    /// that the store had no part in.
    @usableFromInline
    package var record: (@Sendable (DispatchResult) -> DispatchRecord?)?
    /// Whether the state is measured before the commit, because the action, or the batch, may make it far larger.
    @usableFromInline
    package var measuresState: Bool
    /// The trace of the request, which is passed on with the remote calls that the action causes.
    @usableFromInline
    package var trace: TraceContext?
    /// The id of the request, for the log lines of the effects that the action starts.
    package var requestID: String?
    /// The sender of the action; nil in a session without an owner, whose clients are anonymous.
    @usableFromInline
    package var actor: Actor?
    /// Whether it was committed before, in another store: then it has the values that the server filled in there.
    @usableFromInline
    package var isRepeated = false
    /// Whether the state decides if the actor may send it, and what the result shows.
    @usableFromInline
    package var isOfVisitor = false
    /// Whether the sender may not send it any more, asked in one step with the commit; nil if that cannot change. Then the outcome is
    /// ``DispatchResult/Outcome/ended``.
    @usableFromInline
    package var isWithdrawn: (@Sendable () -> Bool)?
    /// Names the request in the views of its commits; see ``StateView/tag``.
    @usableFromInline
    package var tag: (any AnyObject & Sendable)?
}

extension DispatchOptions {
    /// Any revision, with the whole state in the result.
    package init() { self.init(selection: .root) }

    /// All options but the record of the request. They are set by the implicit initializer, because it copies none of them.
    package init(
        expectedRevisions: [Int]? = nil, selection: Selection?, isDryRun: Bool = false, measuresState: Bool = false,
        trace: TraceContext? = nil, requestID: String? = nil, actor: Actor? = nil, isOfVisitor: Bool = false
    ) {
        self.init(
            expectedRevisions: expectedRevisions, selection: selection, isDryRun: isDryRun, record: nil,
            measuresState: measuresState, trace: trace, requestID: requestID, actor: actor, isOfVisitor: isOfVisitor)
    }
}

/// The result of a client's action, with the JSON that belongs to it.
@usableFromInline
package struct DispatchResult: Sendable {
    /// The outcome of the action.
    @usableFromInline
    package enum Outcome: Sendable {
        /// At least one action was committed.
        case committed
        /// Every action was ignored.
        case ignored
        /// The body is no action; of a batch, the one at `index`.
        indirect case refused(ActionDecodingError, index: Int?)
        /// The reducer rejected the action; of a batch, the one at `index`.
        indirect case rejected(Rejection, index: Int?)
        /// The state does not let the actor act; of a batch, with the action at `index`, or with any if that is nil.
        indirect case forbidden(canRead: Bool, index: Int?)
        /// The store is at another revision than expected.
        case revisionMismatch
        /// Too many actions are queued.
        case overloaded
        /// The store accepts no more actions.
        case ended
    }

    /// The outcome of the action.
    package let outcome: Outcome
    /// The revision of the store after the action; 0 if the action was refused before it came to the store.
    package let revision: Int
    /// The selected state at ``revision``, if it was asked for and the action was committed or ignored. After a dry run it is
    /// the state that the action would make.
    package var state: EncodedState? { stateJSON.map { EncodedState(revision: revision, json: $0) } }
    /// The JSON text of ``state``.
    package let stateJSON: [UInt8]?
    /// The changes that the action would make, after a dry run.
    package let patch: EncodedPatch?
    private let followUps: Receipt.FollowUps?

    @usableFromInline
    init(_ receipt: Receipt, isBatch: Bool, json: [UInt8]? = nil, patch: EncodedPatch? = nil) {
        outcome = Outcome(receipt.outcome, isBatch: isBatch)
        revision = receipt.revision
        stateJSON = json
        self.patch = patch
        followUps = receipt.followUps
    }

    /// The result of a body that is no action.
    @usableFromInline
    init(refused error: ActionDecodingError, index: Int? = nil) {
        outcome = .refused(error, index: index)
        (revision, stateJSON, patch, followUps) = (0, nil, nil, nil)
    }

    /// The result of an action that the state does not let its actor send.
    init(forbiddenAt revision: Int, canRead: Bool, index: Int? = nil) {
        outcome = .forbidden(canRead: canRead, index: index)
        self.revision = revision
        (stateJSON, patch, followUps) = (nil, nil, nil)
    }

    /// Whether at least one action was committed.
    package var isCommitted: Bool { if case .committed = outcome { true } else { false } }

    /// The effects that the action started.
    package var effects: [EffectID] { followUps?.effects ?? [] }

    /// Whether an effect or another action follows from it, even if all have ended: the state may be a later one by now.
    package var hasFollowUps: Bool { followUps?.effectGroup != nil }

    /// Whether every effect that the action started has ended, and every effect that their actions started.
    package var isSettled: Bool { followUps?.effectGroup?.isSettled ?? true }

    /// Calls `done` once ``isSettled`` is true: before this returns if it is already.
    package func whenSettled(_ done: @escaping @Sendable () -> Void) {
        if let group = followUps?.effectGroup { group.whenSettled(done) } else { done() }
    }
}

extension DispatchResult.Outcome {
    fileprivate init(_ outcome: Outcome, isBatch: Bool) {
        self =
            switch outcome {
            case .committed: .committed
            case .ignored: .ignored
            case .rejected(let rejection, let index): .rejected(rejection, index: isBatch ? index : nil)
            case .revisionMismatch: .revisionMismatch
            case .overloaded, .queued: .overloaded
            case .ended: .ended
            }
    }
}
