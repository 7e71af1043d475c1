package import JSON

/// A stored session by the time of its last use.
package struct SessionUse: Sendable, Equatable {
    /// How many milliseconds later than the index says a session may have been used last: uses are recorded once a minute.
    package static let lag = 120_000

    /// The id of the session.
    package let id: String
    /// The name of its store's kind.
    package let kind: String
    /// The subject that created it; nil if the server knew no subjects.
    package let owner: Subject?
    /// When it was used last, in session time.
    package let lastActiveAt: Int

    /// A session that was used last at `lastActiveAt`.
    ///
    /// - Parameter indexed: the time by which the index has it. A last use that is much later is cut, so that a search need not look at the
    ///   whole index.
    package init(id: String, kind: String, owner: Subject?, lastActiveAt: Int, indexed: Int) {
        self.id = id
        self.kind = kind
        self.owner = owner
        self.lastActiveAt = min(max(lastActiveAt, indexed), indexed + Self.lag)
    }
}

/// Some stored sessions in the order of the index of last uses, which may lag.
package struct SessionUses: Sendable, Equatable {
    /// A place in the index.
    package struct Place: Sendable, Equatable {
        /// The time by which the index has the session.
        package let moment: Int
        /// Tells sessions of the same time apart, as the journal does; empty before all of them.
        package let tie: String

        /// The place of a session; without `tie`, that before all sessions of a time.
        package init(moment: Int, tie: String = "") {
            self.moment = moment
            self.tie = tie
        }
    }

    /// The sessions, the most recent first.
    package let uses: [SessionUse]
    /// Where the search continues; nil if nothing follows.
    package let next: Place?

    /// Sessions that were found, and where others follow.
    package init(_ uses: [SessionUse], next: Place?) {
        self.uses = uses
        self.next = next
    }
}
