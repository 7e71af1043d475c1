public import JSON

/// News of a store that no action's outcome and no member of the store tells.
public enum RemoteReport: Sendable {
    /// The server has lost revisions, as after the restore of a backup. The session has another history now; nil if it has no name.
    case history(String?)
    /// Nobody knows what became of these actions. They are given up, unless the store sends them again by its ``UnknownPolicy``.
    case unknown([UnknownEntry])
    /// The server has another version of the kind than the app, so that nothing is predicted.
    case version(String?)
    /// A patch did not apply. It was not shown, and the state comes anew.
    case patch(any Error)
    /// The outbox cannot be read or written, or a part of it was damaged. Actions are sent all the same.
    case storage(any Error)
    /// The app gave no token. It is asked again.
    case token(any Error)
    /// The new token is of another user, whose actions stand elsewhere. It is not used.
    case user
}

/// Actions of which nobody knows whether they were committed.
public struct UnknownEntry: Sendable, Hashable {
    /// The bodies of the actions that were sent together.
    public let actions: [JSONValue]
    /// That of the entry in ``RemoteStore/pending``.
    package let key: Int
}
