package import JSON
import StoreHosting

// The results of looking for a session, and of ending one.
extension SessionRegistry {
    package enum Lookup: Sendable {
        case session(Session)
        /// The owner is nil if there was none, or if it is not known.
        case ended(owner: Subject?)
        /// The stored data is damaged, or of a kind or release that this server does not have. The owner as above.
        case unreadable(SessionFailure, owner: Subject?)
        /// Another node has it, by its name.
        case elsewhere(String)
        case unknown
    }

    /// The result of ``end(_:as:)``.
    package enum EndResult: Sendable {
        /// The end is durable.
        case ended
        /// The end is not durable; the session can be found again.
        case failed(SessionFailure)
        /// The session continues elsewhere: look it up again.
        case detached
        /// The state of a revision does not allow the end.
        case refused(SessionFailure, at: Int)
    }
}
