public import JSON
public import Stores

/// A store of whatever kind, as a server handles it: JSON in, JSON out.
///
/// It is two words: the store, and its kind's table of what can be done with it. The table's functions are made where the
/// types of state and action are known, so that the compiler specializes them.
public struct HostedStore: Sendable {
    @usableFromInline let store: any AnyObject & Sendable
    @usableFromInline let methods: Methods

    @inlinable
    init(_ store: any AnyObject & Sendable, _ methods: Methods) {
        self.store = store
        self.methods = methods
    }

    /// Dispatches an action, or a batch where `body` is an array, and calls `done` once with what came of it.
    ///
    /// `done` is called on the calling thread before this returns, or later on another; never inside the store.
    public func dispatch(
        _ body: JSONValue, _ options: DispatchOptions, done: @escaping @Sendable (DispatchResult) -> Void
    ) {
        methods.dispatch(store, body, options, done)
    }

    /// The revision and the selected value of one moment.
    public func read(_ selection: Selection = .whole) -> EncodedState {
        var found = EncodedState(revision: 0, json: [])
        inspect { found = EncodedState(revision: $0.revision, json: $0.encoded(selection)) }
        return found
    }

    /// The revision now.
    public var revision: Int {
        var found = 0
        inspect { found = $0.revision }
        return found
    }

    /// Calls `body` with the state now, while no action can be reduced: it must be quick and send nothing.
    public func inspect(_ body: (borrowing StateView) -> Void) { methods.inspect(store, body) }

    /// Calls `observer` with the state at the end of each commit or batch, in order, inside the store.
    public func watch(_ observer: @escaping @Sendable (borrowing StateView) -> Void) -> Subscription {
        methods.watch(store, observer)
    }

    /// Calls `observer` with what happens to effects, in order with the commits that ``watch(_:)`` shows, inside the store: the
    /// start of one comes behind the commit that caused it, and its end before the commit of its last action.
    public func watchEffects(_ observer: @escaping @Sendable (EffectEvent) -> Void) -> Subscription {
        methods.watchEffects(store, observer)
    }

    /// The names of the effects that run or wait.
    public var runningEffects: [String] { methods.runningEffects(store) }

    /// Goes on where the store of a kept state was left: what ran then and was cut off is told as failed, and timers are armed
    /// again. What that changes is committed with the origin `system`; so is, as `store/migrated` and before all else,
    /// what the kind's migrations have made of the state.
    ///
    /// It is called once, before anything else, with a store that was made of a state that had been kept.
    public func resume() { methods.resume(store) }

    /// The state now, as it is kept: to begin another store with it, say.
    public func kept() -> (revision: Int, state: StateSnapshot) { methods.kept(store) }

    /// Cancels the effects; nothing is committed from then on.
    public func end() { methods.end(store) }

    /// Ends the store if nothing is under way in it and nobody watches.
    ///
    /// - Returns: whether it has ended: its state is then as it is kept.
    public func retire() -> Bool { methods.retire(store) }

    /// What can be done with the stores of one kind.
    @usableFromInline
    final class Methods: Sendable {
        @usableFromInline typealias Done = @Sendable (DispatchResult) -> Void

        let dispatch: @Sendable (AnyObject, JSONValue, DispatchOptions, @escaping Done) -> Void
        let inspect: @Sendable (AnyObject, (borrowing StateView) -> Void) -> Void
        let watch: @Sendable (AnyObject, @escaping @Sendable (borrowing StateView) -> Void) -> Subscription
        let watchEffects: @Sendable (AnyObject, @escaping @Sendable (EffectEvent) -> Void) -> Subscription
        let runningEffects: @Sendable (AnyObject) -> [String]
        let resume: @Sendable (AnyObject) -> Void
        let kept: @Sendable (AnyObject) -> (revision: Int, state: StateSnapshot)
        let end: @Sendable (AnyObject) -> Void
        let retire: @Sendable (AnyObject) -> Bool

        @usableFromInline
        init(
            dispatch: @escaping @Sendable (AnyObject, JSONValue, DispatchOptions, @escaping Done) -> Void,
            inspect: @escaping @Sendable (AnyObject, (borrowing StateView) -> Void) -> Void,
            watch: @escaping @Sendable (AnyObject, @escaping @Sendable (borrowing StateView) -> Void) -> Subscription,
            watchEffects: @escaping @Sendable (AnyObject, @escaping @Sendable (EffectEvent) -> Void) -> Subscription,
            runningEffects: @escaping @Sendable (AnyObject) -> [String],
            resume: @escaping @Sendable (AnyObject) -> Void,
            kept: @escaping @Sendable (AnyObject) -> (revision: Int, state: StateSnapshot),
            end: @escaping @Sendable (AnyObject) -> Void,
            retire: @escaping @Sendable (AnyObject) -> Bool
        ) {
            self.dispatch = dispatch
            self.inspect = inspect
            self.watch = watch
            self.watchEffects = watchEffects
            self.runningEffects = runningEffects
            self.resume = resume
            self.kept = kept
            self.end = end
            self.retire = retire
        }
    }
}

/// A selected value as JSON, and the revision that it is of.
public struct EncodedState: Sendable {
    /// The revision of the state that the value was selected of.
    public let revision: Int
    /// The value as JSON, in UTF-8.
    public let json: [UInt8]

    /// A value that was selected of the state at `revision`.
    public init(revision: Int, json: [UInt8]) {
        self.revision = revision
        self.json = json
    }
}

/// A state at one revision, lent to be shown.
public struct StateView: ~Copyable {
    /// The revision that the state is of.
    public let revision: Int
    /// The newest commit, and those that came before it in its batch; none at revision 0.
    public let commits: [CommitRecord]
    @usableFromInline let encode: (Selection) -> [UInt8]

    @inlinable
    init(revision: Int, commits: [CommitRecord], encode: @escaping (Selection) -> [UInt8]) {
        self.revision = revision
        self.commits = commits
        self.encode = encode
    }

    /// The selected value as JSON. The whole state of a revision is encoded once, however often it is asked for.
    public func encoded(_ selection: Selection) -> [UInt8] { encode(selection) }
}
