/// A change in the life of an effect.
///
/// Each effect that has started ends with exactly one further event: it succeeded, failed or was cancelled. A queued effect has
/// not started; a delayed one has. Timers are not effects.
@usableFromInline
package struct EffectEvent: Sendable, Hashable {
    /// The kind of change.
    @usableFromInline
    package enum Phase: String, Sendable, CaseIterable {
        /// The store has started it.
        case started
        /// A call to a remote service is repeated.
        case retrying
        /// It ran to its end.
        case succeeded
        /// It ran to its end without success, or went past its deadline.
        case failed
        /// It was cancelled. The store ignores the rest of it.
        case cancelled
    }

    /// The id of the effect.
    package let effect: EffectID
    /// The kind of change.
    package let phase: Phase
    /// The revision whose action started it.
    package let cause: Int
    /// The remote service that it called last; nil if it reported none.
    package let upstream: String?
    /// The number of the attempt of that call, from 1; nil if it reported none.
    package let attempt: Int?
    /// The reason of the failure or the retry; nil if none was reported.
    package let code: String?
    /// The time it took in milliseconds, delays included; nil while it runs.
    package let duration: Int?
    /// The cause; nil unless it has succeeded or failed in a hosted store.
    package let source: Source?
    /// The end of the last attempt of its call.
    package let lastAttempt: EffectContext.AttemptReport

    /// The cause of an effect, as the log of a host names it.
    @usableFromInline
    package struct Source: Sendable, Hashable {
        /// The label of the store.
        package let label: String
        /// The id of the request whose action began it; nil if no request did.
        package let requestID: String?
    }
}

/// An error of an effect with a stable code, which ``EffectEvent/code`` shows.
@usableFromInline
package protocol EffectFailure: Error {
    /// The stable code.
    var effectCode: String { get }
}
