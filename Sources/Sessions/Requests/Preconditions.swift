package import Stores

/// The revisions that a client names in a condition.
package enum RevisionSet: Sendable, Hashable {
    /// Every revision.
    case all
    case some([Name])

    package struct Name: Sendable, Hashable {
        package let number: Int
        /// The sequence that the number counts in; nil for whatever sequence the session has.
        package let history: String?

        package init(number: Int, history: String?) {
            self.number = number
            self.history = history
        }
    }

    /// The numbers that count in a history or in a personal view of it; nil for every number.
    package func numbers(in history: String) -> [Int]? {
        switch self {
        case .all: nil
        case .some(let names):
            names.filter { $0.history.map { PersonalHistory.isWithin($0, of: history) } ?? true }.map(\.number)
        }
    }

    package func contains(_ revision: Int, of history: String) -> Bool {
        numbers(in: history)?.contains(revision) ?? true
    }

    /// Whether it contains a revision whose state a client may have: in this history, and not in another view of it.
    fileprivate func contains(_ revision: Int, seenIn history: String) -> Bool {
        switch self {
        case .all: true
        case .some(let names):
            names.contains { $0.number == revision && ($0.history == nil || $0.history == history) }
        }
    }
}

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
