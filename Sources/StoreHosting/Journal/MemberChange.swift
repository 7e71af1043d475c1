package import Stores

/// How a commit changes the members of a session.
@usableFromInline
package final class MemberChange: Sendable {
    package let added: [ActorID]
    package let removed: [ActorID]

    package init(added: [ActorID], removed: [ActorID]) {
        self.added = added
        self.removed = removed
    }

    /// Nil if nothing has changed.
    convenience init?(from old: [ActorID], to new: [ActorID]) {
        if old == new { return nil }
        let (before, after) = (Set(old), Set(new))
        let (added, removed) = (after.subtracting(before), before.subtracting(after))
        if added.isEmpty, removed.isEmpty { return nil }
        self.init(added: Array(added), removed: Array(removed))
    }
}

extension [ActorID] {
    /// About how many bytes a journal writes for them.
    package var byteCount: Int { reduce(64) { $0 + $1.text.utf8.count + 64 } }
}
