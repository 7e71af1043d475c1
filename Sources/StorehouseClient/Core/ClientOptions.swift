package import JSON

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
    var unknown = UnknownPolicy.drop
    /// Whether the ends of effects are told.
    var hearsEffects = false
    /// Whose outbox it is; nil for the subject of the token.
    var user: String?
    /// The version of the kind that the app was compiled with; nil if it has none.
    var version: (@Sendable () -> String)?
}

/// An entry of which the server no longer knows whether it was committed.
package struct UnknownEntry: Sendable, Hashable {
    /// That of the entry in ``RemoteStore/pending``.
    package let key: Int
    /// The bodies of its actions.
    package let actions: [JSONValue]
}

/// Tells of what no action's outcome tells.
package enum ClientReport: Sendable {
    /// Events did not apply, so that the state comes anew.
    case patch(any Error)
    /// Revisions were lost: the session has another history.
    case history(String?)
    /// Nobody knows what became of these entries.
    case unknown([UnknownEntry])
    /// The kind has another version than the app, so that nothing is predicted.
    case version(String?)
    case storage(any Error)
    case token(any Error)
    /// The new token is of another user, whose actions stand elsewhere.
    case user
}
