/// What has just happened to an effect of a store.
///
/// Each effect that is told to have started is told once to have ended: it succeeded, failed or was cancelled. What waits in a
/// queue has not started, and one that is delayed has. Timers are no effects.
public struct EffectEvent: Sendable, Hashable {
    /// What happened.
    public enum Phase: String, Sendable, CaseIterable {
        /// The store has set it going.
        case started
        /// What it asked a remote service for is asked once more.
        case retrying
        /// It came to its end.
        case succeeded
        /// It came to its end, and what it was for could not be done.
        case failed
        /// It was cut off, and nothing that it says is heard any more.
        case cancelled
    }

    /// Which effect.
    public let effect: EffectID
    /// What happened to it.
    public let phase: Phase
    /// The revision whose action started it.
    public let cause: Int
    /// The remote service that it called last; nil where it has told of none.
    public let upstream: String?
    /// Which try of that call this is, 1 for the first; nil where it has told of none.
    public let attempt: Int?
    /// Why it failed or is tried again; nil where nobody said.
    public let code: RemoteFailure.Code?
    /// How long it took, delays included, in milliseconds; nil as long as it runs.
    public let duration: Int?
}
