public import JSON

/// A store of whatever kind, as a server handles it: JSON in, JSON out.
public protocol HostedStore: AnyObject, Sendable {
    /// Dispatches an action, or a batch where `body` is an array, and calls `done` once with what came of it.
    ///
    /// `done` is called on the calling thread before this returns, or later on another; never inside the store.
    func dispatch(
        _ body: JSONValue, _ options: DispatchOptions, done: @escaping @Sendable (DispatchResult) -> Void)

    /// The state now.
    func view() -> any StateView

    /// Calls `body` with the state now, while no action can be reduced: it must be quick and send nothing.
    func inspect(_ body: (any StateView) -> Void)

    /// Calls `observer` with the state at the end of each commit or batch, in order, inside the store.
    func watch(_ observer: @escaping @Sendable (any StateView) -> Void) -> Subscription

    /// The names of the effects that run.
    var runningEffects: [String] { get }

    /// Cancels the effects; nothing is committed from then on.
    func end()
}

/// A state at one revision, to be shown.
public protocol StateView: Sendable {
    var revision: Int { get }

    /// The selected value as JSON. The whole state of a revision is encoded once, however often it is asked for.
    func encoded(_ selection: Selection) -> [UInt8]
}

/// How a client wants its action dispatched.
public struct DispatchOptions: Sendable {
    /// The only revisions at which it may be committed; nil for any.
    public var expectedRevisions: [Int]?
    /// Whether the answer needs the state.
    public var wantsState = true

    /// At any revision, with the state in the answer.
    public init() {}
}

/// What came of a client's action.
public enum DispatchResult: Sendable {
    /// Committed or ignored.
    case done(Dispatched)
    /// Not an action; of a batch, the one at `index`.
    case refused(ActionRefusal, index: Int?)
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
    /// The state that belongs to `revision`, where it was asked for.
    public let view: (any StateView)?
    private let chain: Chain?

    init(_ receipt: Receipt, view: (any StateView)?) {
        isCommitted = receipt.outcome == .committed
        revision = receipt.revision
        effects = receipt.effects
        self.view = view
        chain = receipt.chain
    }

    /// Whether nothing that it set going runs any more.
    public var isSettled: Bool { chain?.isSettled ?? true }

    /// Calls `tell` once all has ended that the action set going; at once where nothing runs.
    public func whenSettled(_ tell: @escaping @Sendable () -> Void) {
        if let chain { chain.whenSettled(tell) } else { tell() }
    }
}
