import JSON
import Observability
package import StoreHosting
import Stores

/// One page of the action log on its way from the journal.
package struct ActionLogPage: Sendable {
    /// A page ends before the commit with which its JSON would be longer, unless that is its first.
    package static let maxBytes = 1 << 20

    /// The length of the JSON around the commits, at most.
    private static let frameBytes = 64

    private static let portion = 101

    private let limit: Int
    private let hasOwner: Bool
    private var actions: [[UInt8]] = []
    /// The length of the JSON, at most.
    private var byteCount = frameBytes
    /// The revision after which the next portion begins.
    package private(set) var lastRevision: Int
    /// Whether a commit follows behind the page.
    package private(set) var hasMore = false
    /// Whether retention has deleted the first commit.
    package private(set) var isGone = false

    /// - Parameters:
    ///   - after: the revision behind which the page begins.
    ///   - limit: how many commits the page has at most.
    ///   - hasOwner: whether the session has an owner.
    package init(after: Int, limit: Int, hasOwner: Bool = false) {
        self.limit = limit
        self.hasOwner = hasOwner
        lastRevision = after
    }

    /// How many commits to read: one more than the page shows, to know whether another page follows.
    package var nextCount: Int { min(limit - actions.count + 1, Self.portion) }

    /// Takes the next portion.
    ///
    /// - Parameter commits: what was read; nil if the first one was deleted by retention, empty behind the last one.
    /// - Returns: whether another portion is needed.
    package mutating func append(_ commits: [CommitRecord]?) -> Bool {
        guard let commits else {
            // Retention may also overtake the reader of several portions: the page ends, and the next one is gone.
            (isGone, hasMore) = (actions.isEmpty, !actions.isEmpty)
            return false
        }
        for commit in commits {
            let action = actions.count < limit ? LoggedAction(record: commit, hasOwner: hasOwner).encoded() : nil
            guard let action, actions.isEmpty || byteCount + action.count < Self.maxBytes else {
                hasMore = true
                return false
            }
            actions.append(action)
            byteCount += action.count + 1
            lastRevision = commit.revision
        }
        return !commits.isEmpty
    }

    /// After which revision the next page begins; nil if this is the last one.
    package var next: Int? { hasMore ? lastRevision : nil }

    package var json: [UInt8] {
        var json = JSONWriter(reservingCapacity: byteCount)
        json.object { json in
            json.name("actions")
            json.array { json in
                for action in actions { json.raw(action) }
            }
            json.member("next", next)
        }
        return json.finishLine()
    }
}

/// A commit as the action log shows it.
private struct LoggedAction: JSONEncodable {
    let record: CommitRecord
    /// Whether the session has an owner.
    let hasOwner: Bool

    func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("revision", record.revision)
            json.member("type", record.type)
            json.member("payload", record.payload)
            json.member("origin", record.origin.rawValue)
            if let actor = record.actor(inSessionWithOwner: hasOwner) { json.member("actor", raw: actor.json) }
            json.member("cause", record.cause)
            json.member("at", Timestamp.rfc3339(record.committedAt))
        }
    }
}
