/// A change in the life of a session.
package enum SessionEvent: String, CaseIterable, Sendable {
    /// By a request, also as a fork.
    case created
    /// By a request.
    case ended
    /// Because nobody has used it.
    case expired
    /// It left the memory and continues from its journal.
    case hibernated
    /// It was loaded from its journal.
    case woken
}
