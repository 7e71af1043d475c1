import StoreHosting
package import Stores

/// The part of the action log that a client asks for.
package struct ActionLogQuery: Sendable, Hashable {
    package enum Start: Sendable, Hashable {
        /// Oldest first, behind a revision.
        case after(Int)
        /// Newest first, below a revision.
        case before(Int)
    }

    package let start: Start
    /// How many actions a page has at most.
    package let limit: Int
    /// The type of the actions; nil for all.
    package let type: String?
    /// The sender of the actions; nil for all.
    package let origin: Origin?
    /// Whether each action comes with its patch.
    package let showsChanges: Bool

    package init(
        _ start: Start, limit: Int, type: String? = nil, origin: Origin? = nil, showsChanges: Bool = false
    ) {
        self.start = start
        self.limit = limit
        self.type = type
        self.origin = origin
        self.showsChanges = showsChanges
    }

    /// Whether some actions are left out.
    var isFiltered: Bool { type != nil || origin != nil }

    /// Whether the store must tell its newest revision.
    var usesStore: Bool { if case .before = start { true } else { false } }

    /// Whether a page shows a commit. Types are compared by their bytes, as JSON has them.
    func matches(_ commit: CommitRecord) -> Bool {
        (origin == nil || origin == commit.origin)
            && (type.map { $0.utf8.elementsEqual(commit.type.utf8) } ?? true)
    }
}
