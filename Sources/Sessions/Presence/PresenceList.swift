package import Stores

/// The clients that watch a session at a moment.
package struct PresenceList: Sendable, Equatable {
    /// More actors than this are only counted.
    package static let maxActors = 1000
    /// Actors that are longer than this as JSON, all together, are only counted.
    package static let maxBytes = 1 << 20

    /// An actor, and how many streams it has: none while it may still come back.
    package struct Present: Sendable, Equatable {
        package let actor: Actor
        package let streams: Int

        package init(_ actor: Actor, streams: Int) { (self.actor, self.streams) = (actor, streams) }
    }

    /// In the order in which they came; nil if they are only counted.
    package let present: [Present]?
    package let actorCount: Int
    /// How many streams there are of clients without an id.
    package let anonymous: Int

    package init(present: [Present]? = [], actorCount: Int? = nil, anonymous: Int = 0) {
        self.present = present
        self.actorCount = actorCount ?? present?.count ?? 0
        self.anonymous = anonymous
    }
}

/// The change from one list to a later one, for whoever has the first.
package enum PresenceChange: Sendable, Equatable {
    case some(joined: [PresenceList.Present], left: [PresenceList.Present], anonymous: Int)
    /// One of the lists has no actors.
    case all(PresenceList)

    /// Nil if nobody has come or left.
    package init?(from old: PresenceList, to new: PresenceList) {
        guard let before = old.present, let after = new.present else {
            let isSame = old.present == nil && new.present == nil && old.actorCount == new.actorCount
            if isSame, old.anonymous == new.anonymous { return nil }
            self = .all(new)
            return
        }
        let (known, there) = (Set(before.map(\.actor.key)), Set(after.map(\.actor.key)))
        let joined = after.filter { !known.contains($0.actor.key) }
        let left = before.filter { !there.contains($0.actor.key) }.map { PresenceList.Present($0.actor, streams: 0) }
        if joined.isEmpty, left.isEmpty, old.anonymous == new.anonymous { return nil }
        self = .some(joined: joined, left: left, anonymous: new.anonymous)
    }
}

/// The presence of a session, and its change since the news before, for the streams that show it.
package struct PresenceNews: Sendable, Equatable {
    /// Later news have greater numbers.
    package let number: Int32
    /// For streams that have no list yet, or have missed a change; nil if there are none.
    package let whole: PresenceList?
    /// For all others; nil for nothing.
    package let change: PresenceChange?
}
