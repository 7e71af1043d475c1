/// What enters a store: one action, or a batch that is committed whole or not at all.
@usableFromInline
struct Submission<Action: Sendable>: Sendable {
    @usableFromInline let first: Action
    @usableFromInline let origin: Origin
    /// What most have not, apart from the rest, so that it costs them nothing.
    @usableFromInline let details: Details?

    @usableFromInline
    final class Details: Sendable {
        @usableFromInline let rest: [Action]
        /// The only revisions at which it may be committed; nil for any.
        @usableFromInline let expectedRevisions: [Int]?
        /// The revision whose action caused this one.
        @usableFromInline let cause: Int?
        /// What an effect's or a middleware's action is part of.
        @usableFromInline let chain: Chain?
        /// The run of an effect that sent it, which must still be current; 0 for none.
        @usableFromInline let sender: Int
        /// Whether `sender` is over with it.
        @usableFromInline let endsSender: Bool
        /// How many middlewares' actions led to it, one after another.
        @usableFromInline let depth: Int

        @usableFromInline
        init(
            rest: [Action] = [], expectedRevisions: [Int]? = nil, cause: Int? = nil, chain: Chain? = nil,
            sender: Int = 0, endsSender: Bool = false, depth: Int = 0
        ) {
            self.rest = rest
            self.expectedRevisions = expectedRevisions
            self.cause = cause
            self.chain = chain
            self.sender = sender
            self.endsSender = endsSender
            self.depth = depth
        }
    }

    @inlinable
    init(_ first: Action, origin: Origin, _ details: Details? = nil) {
        self.first = first
        self.origin = origin
        self.details = details
    }

    /// The chain that a middleware's action has entered by itself, and leaves when it is done with.
    var ownChain: Chain? { details?.sender == 0 ? details?.chain : nil }

    var count: Int { 1 + (details?.rest.count ?? 0) }

    var actions: [Action] { [first] + (details?.rest ?? []) }
}
