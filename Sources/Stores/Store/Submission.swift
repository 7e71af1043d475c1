/// What enters a store: one action, or a batch that is committed whole or not at all.
@usableFromInline
package struct QueuedActions<Action: Sendable>: Sendable {
    let first: Action
    let envelope: Envelope<Action>

    @usableFromInline
    package init(_ first: Action, _ envelope: Envelope<Action>) {
        self.first = first
        self.envelope = envelope
    }

    init(_ first: Action, origin: Origin, _ details: Envelope<Action>.Details? = nil) {
        self.init(first, Envelope(origin, details))
    }

    var actions: [Action] { [first] + (envelope.details?.rest ?? []) }
}

/// What comes with an action: apart from it, so that the action is lent all the way, and copied only where it has to wait.
@usableFromInline
package struct Envelope<Action: Sendable>: Sendable {
    @usableFromInline package let origin: Origin
    /// What most have not, apart from the rest, so that it costs them nothing.
    @usableFromInline package let details: Details?

    @usableFromInline
    package final class Details: Sendable {
        /// What comes after the first in a batch.
        @usableFromInline package let rest: [Action]
        /// The only revisions at which it may be committed; nil for any.
        @usableFromInline package let expectedRevisions: [Int]?
        /// The revision whose action caused this one.
        @usableFromInline package let cause: Int?
        /// What an effect's or a middleware's action is part of.
        @usableFromInline package let chain: EffectGroup?
        /// The run of an effect that sent it, which must still be current; 0 for none.
        @usableFromInline package let sender: Int
        /// Whether `sender` is over with it.
        @usableFromInline package let endsSender: Bool
        /// Whether it comes in place of what `sender` would have said, had it not taken too long.
        @usableFromInline package let isLate: Bool
        /// How many middlewares' actions led to it, one after another.
        @usableFromInline package let depth: Int
        /// Whether it is only tried: nothing is committed, and nothing started.
        @usableFromInline package let isDryRun: Bool
        /// What it belongs to in its sender's tracing.
        @usableFromInline package let trace: TraceContext?

        @usableFromInline
        package init(
            rest: [Action] = [], expectedRevisions: [Int]? = nil, cause: Int? = nil, chain: EffectGroup? = nil,
            sender: Int = 0, endsSender: Bool = false, isLate: Bool = false, depth: Int = 0, isDryRun: Bool = false,
            trace: TraceContext? = nil
        ) {
            self.rest = rest
            self.expectedRevisions = expectedRevisions
            self.cause = cause
            self.chain = chain
            self.sender = sender
            self.endsSender = endsSender
            self.isLate = isLate
            self.depth = depth
            self.isDryRun = isDryRun
            self.trace = trace
        }
    }

    @inlinable
    package init(_ origin: Origin, _ details: Details? = nil) {
        self.origin = origin
        self.details = details
    }

    @inlinable package var isDryRun: Bool { details?.isDryRun ?? false }

    /// The chain that a middleware's action has entered by itself, and leaves when it is done with.
    var ownChain: EffectGroup? { details?.sender == 0 ? details?.chain : nil }

    /// How many actions there are in all.
    var count: Int { 1 + (details?.rest.count ?? 0) }
}

/// What is under way in a store: actions that came from inside, effects, timers, and what is to be told afterwards.
///
/// A store in which nothing is under way has none, so that it costs neither memory nor time.
@usableFromInline
package final class PendingWork<Action: Sendable> {
    /// What came from inside, in order.
    var inbox: [QueuedActions<Action>] = []
    package var effects = EffectTable<Action>()
    var timers: [TimerGroup<Action>] = []
    var aftermath = PostLockWork()
    /// Whether what happens to effects is told later: inside a batch it would come before the commits that it follows from.
    var holdsNews = false
    /// What is told of effects at the end of the batch.
    var news: [EffectEvent] = []

    @usableFromInline
    package init() {}

    var isEmpty: Bool { inbox.isEmpty && effects.isEmpty && timers.isEmpty && aftermath.isEmpty }
}
