public import Stores

/// How a client wants its action dispatched.
public struct DispatchOptions: Sendable {
    /// The revisions at which the action may be committed; nil for any.
    public var expectedRevisions: [Int]?
    /// The part of the state that the result contains; nil for none.
    public var selection: Selection?
    /// Whether it is a dry run, which commits nothing and starts no effect.
    public var isDryRun = false
    /// Makes the record of the response, which is persisted in one transaction with the commits of the dispatch.
    ///
    /// It is called inside the store, so it must be quick and must not dispatch. It is not called for a dry run, nor for a result
    /// that the store had no part in.
    public var idempotencyRecord: (@Sendable (DispatchResult) -> IdempotencyRecord?)?
    /// The trace of the request, which is passed on with the remote calls that the action causes.
    public var trace: TraceContext?

    /// Any revision, with the whole state in the result.
    public init() { selection = .root }
}

/// The result of a client's action.
public enum DispatchResult: Sendable {
    /// The action was committed or ignored.
    case done(DispatchReceipt)
    /// The body is no action; of a batch, the one at `index`.
    case refused(ActionDecodingError, index: Int?)
    /// The reducer rejected the action; of a batch, the one at `index`.
    case rejected(Rejection, index: Int?)
    /// The store is at another revision than expected.
    case revisionMismatch(current: Int)
    /// Too many actions are queued.
    case overloaded
    /// The store accepts no more actions.
    case ended
}

/// The store's receipt for an action that was committed or ignored, and the JSON that belongs to it.
public struct DispatchReceipt: Sendable {
    private let receipt: Receipt
    /// The selected state at ``revision``, if it was asked for. After a dry run it is the state that the action would make.
    public let state: EncodedState?
    /// What the action would change, after a dry run.
    public let patch: EncodedPatch?

    @usableFromInline
    init(_ receipt: Receipt, _ json: [UInt8]?, _ patch: EncodedPatch?) {
        self.receipt = receipt
        state = json.map { EncodedState(revision: receipt.revision, json: $0) }
        self.patch = patch
    }

    /// False if the action was ignored.
    public var isCommitted: Bool { receipt.outcome == .committed }

    /// The revision of the store after the action.
    public var revision: Int { receipt.revision }

    /// The effects that the action started.
    public var effects: [EffectID] { receipt.effects }

    /// Whether every effect that the action started has ended, and those that their actions started.
    public var isSettled: Bool { receipt.effectGroup?.isSettled ?? true }

    /// Calls `done` once ``isSettled`` is true: before this returns if it is already.
    public func whenSettled(_ done: @escaping @Sendable () -> Void) {
        if let group = receipt.effectGroup { group.whenSettled(done) } else { done() }
    }
}
