package import Stores

/// The conditions of a request on the revision of a session.
package enum Preconditions: Sendable, Hashable {
    case none
    /// The session must be at one revision of `match`, and at none of `noneMatch`.
    indirect case some(match: RevisionSet?, noneMatch: RevisionSet?)

    package enum Outcome {
        case hold
        /// The client expects another revision.
        case mismatch
        /// The client has this revision, or wants that there is none.
        case known
    }

    var areNone: Bool { if case .none = self { true } else { false } }

    /// Whether a session is expected that has some revision.
    var expectSession: Bool { if case .some(.some, _) = self { true } else { false } }

    /// - Parameter reader: the actor whose value is asked for; nil if all have one value.
    package func outcome(at revision: Int, of session: Session, for reader: Actor? = nil) -> Outcome {
        guard case .some(let match, let noneMatch) = self else { return .hold }
        if match?.contains(revision, of: session.historyID) == false { return .mismatch }
        let history = reader.map(session.history(of:)) ?? session.historyID
        return noneMatch?.contains(revision, seenIn: history) == true ? .known : .hold
    }
}
