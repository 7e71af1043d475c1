/// What enters a store: one action, or a batch that is committed whole or not at all.
@usableFromInline
struct Submission<Action: Sendable>: Sendable {
    @usableFromInline let first: Action
    @usableFromInline let rest: [Action]
    @usableFromInline let origin: Origin
    /// The only revisions at which it may be committed; nil for any.
    @usableFromInline let expectedRevisions: [Int]?
    @usableFromInline var cause: Int?
    /// What an effect's or a middleware's action is part of.
    @usableFromInline var chain: Chain?
    /// The run of an effect that sent it, which must still be current; 0 for none.
    @usableFromInline var sender = 0
    /// Whether `sender` is over with it.
    @usableFromInline var endsSender = false
    /// How many middlewares' actions led to it, one after another.
    @usableFromInline var depth = 0

    @inlinable
    init(_ first: Action, then rest: [Action] = [], origin: Origin, expectedRevisions: [Int]? = nil) {
        self.first = first
        self.rest = rest
        self.origin = origin
        self.expectedRevisions = expectedRevisions
    }

    /// The chain that a middleware's action has entered by itself, and leaves when it is done with.
    var ownChain: Chain? { sender == 0 ? chain : nil }

    var actions: [Action] { [first] + rest }
}
