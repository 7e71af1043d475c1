public import Stores

/// How a client wants its action dispatched.
public struct DispatchOptions: Sendable {
    /// The only revisions at which it may be committed; nil for any.
    public var expectedRevisions: [Int]?
    /// The part of the state that the answer shows; nil for none.
    public var selection: Selection?
    /// Whether it is only tried: nothing is committed, and nothing started.
    public var isDryRun = false
    /// Makes the record of the response, which is persisted in one transaction with the commits of the dispatch.
    ///
    /// It is called inside the store, so it must be quick and must not dispatch. It is not called for a dry run, nor for a result
    /// that the store had no part in.
    public var idempotencyRecord: (@Sendable (DispatchResult) -> IdempotencyRecord?)?
    /// What it belongs to in the client's tracing; goes with the calls that it causes.
    public var trace: TraceContext?

    /// At any revision, with the whole state in the answer.
    public init() { selection = .whole }
}

/// What came of a client's action.
public enum DispatchResult: Sendable {
    /// Committed or ignored.
    case done(Dispatched)
    /// Not an action; of a batch, the one at `index`.
    case refused(ActionDecodingError, index: Int?)
    /// Refused by the reducer; of a batch, the one at `index`.
    case rejected(Rejection, index: Int?)
    /// The store is at another revision.
    case revisionMismatch(current: Int)
    /// Too many actions wait.
    case overloaded
    /// The store takes no more actions.
    case ended
}

/// An action that was committed or ignored.
public struct Dispatched: Sendable {
    /// False where it was ignored.
    public let isCommitted: Bool
    /// The store's revision after it.
    public let revision: Int
    /// The effects that it started.
    public let effects: [EffectID]
    /// The selected state that belongs to `revision`, where it was asked for.
    public let state: EncodedState?
    /// What it would have changed, where it was only tried: then `state` is what would have come of it.
    public let patch: EncodedPatch?
    private let chain: EffectGroup?

    @usableFromInline
    init(_ receipt: Receipt, _ json: [UInt8]?, _ patch: EncodedPatch?) {
        self.patch = patch
        isCommitted = receipt.outcome == .committed
        revision = receipt.revision
        effects = receipt.effects
        state = json.map { EncodedState(revision: receipt.revision, json: $0) }
        chain = receipt.chain
    }

    /// Whether nothing that it set going runs any more.
    public var isSettled: Bool { chain?.isSettled ?? true }

    /// Calls `tell` once all has ended that the action set going; at once where nothing runs.
    public func whenSettled(_ tell: @escaping @Sendable () -> Void) {
        if let chain { chain.whenSettled(tell) } else { tell() }
    }
}
