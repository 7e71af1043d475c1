package import JSON

/// The session that a client wants to create from a state of another.
package struct ForkRequest: Sendable {
    /// The client actions that are sent again to the new session.
    package struct Replay: Sendable {
        /// The revisions of those that are not.
        package let skipped: Set<Int>
        /// The bodies of the actions that are sent in the place of others, by the revisions of those.
        package let replaced: [Int: JSONValue]
        /// The revision of the last; nil for the newest.
        package var last: Int?

        package init(skipped: Set<Int>, replaced: [Int: JSONValue] = [:], last: Int?) {
            self.skipped = skipped
            self.replaced = replaced
            self.last = last
        }
    }

    /// Nil for the newest.
    package var revision: Int?
    /// Nil to send none.
    package var replay: Replay?
    /// Whether only the outcomes of the replay are wanted.
    package let isDryRun: Bool
    /// Whose rate it counts for.
    package let client: RateLimits.Client

    package init(revision: Int?, replay: Replay? = nil, isDryRun: Bool = false, client: RateLimits.Client) {
        self.revision = revision
        self.replay = replay
        self.isDryRun = isDryRun
        self.client = client
    }

    /// The request with the newest revision in the place of those that it does not name: later another one may be the newest.
    func pinned(to newest: Int) -> ForkRequest {
        var pinned = self
        pinned.revision = revision ?? newest
        pinned.replay?.last = replay?.last ?? newest
        return pinned
    }
}

/// The outcome of an action that was sent again.
package struct ReplayedAction: Sendable, JSONEncodable {
    package enum Outcome: String, CaseIterable, Sendable {
        case committed, ignored
        /// By the reducer.
        case rejected
        /// It is no action of this release of the store.
        case refused
        /// It had a secret, which nobody knows any more.
        case skipped
    }

    /// The revision that it made in the other session.
    let revision: Int
    let type: String
    let outcome: Outcome
    /// Nil if it is committed or ignored.
    let reason: String?

    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("revision", revision)
            json.member("type", type)
            json.member("outcome", outcome.rawValue)
            json.member("reason", ifPresent: reason)
        }
    }
}
