/// The fate of actions that may have been committed by a server that has forgotten them.
public enum UnknownPolicy: Sendable, Hashable {
    /// It is given up, and throws ``OutcomeUnknown``.
    case drop
    /// It is sent again, and may then be committed twice.
    case resend
}

/// How a client follows a session.
struct ClientOptions: Sendable {
    /// The part of the state; nil for all of it.
    var select: String?
    /// The kind of which a session is made where there is none; nil if none is made.
    var create: String?
    /// The kind that the session must have; nil for any.
    var kind: String?
    var unknown = UnknownPolicy.drop
    /// Whether the ends of effects are told.
    var hearsEffects = false
    /// The user to whom the outbox belongs; nil for the subject of the token.
    var user: String?
    /// The version of the kind that the app was compiled with; nil if it has none.
    var version: (@Sendable () -> String)?
}
