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
    func contains(_ revision: Int, seenIn history: String) -> Bool {
        switch self {
        case .all: true
        case .some(let names):
            names.contains { $0.number == revision && ($0.history == nil || $0.history == history) }
        }
    }
}
