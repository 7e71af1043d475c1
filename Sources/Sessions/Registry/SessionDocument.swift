package import JSON
import Observability
package import StoreHosting
import Stores

extension SessionID {
    /// Names the session in the log.
    package var fingerprint: String { Fingerprint.of(description) }
}

/// A session as clients see it.
package struct SessionDocument: JSONEncodable {
    /// How much of the session there is, as far as it is known.
    package struct Extent: Sendable {
        /// The length of the state as JSON.
        let stateBytes: Int
        /// The oldest revision whose state can be read; nil if the storage does not answer, and in lists.
        let oldestRevision: Int?

        package init(stateBytes: Int, oldestRevision: Int?) {
            self.stateBytes = stateBytes
            self.oldestRevision = oldestRevision
        }
    }

    /// The path of the session.
    package let path: String
    package let id: String
    private let store: String
    private let revision: Int
    private let createdAt: Int
    private let lastActiveAt: Int
    /// Nil if it never expires.
    private let expiresAt: Int?
    private let subscribers: Int
    private let effects: [String]
    private let forkedFrom: Int?
    private let owner: Subject?
    /// The digits that name it in the log.
    private let mark: String
    private let extent: Extent?
    /// The node that has the session; nil if the server is alone, or if it is not in memory.
    package let node: String?
    /// The actions that were sent again to a new fork; nil if that was not asked for.
    private let replay: [ReplayedAction]?
    /// Nil if the document is without the state.
    private let state: [UInt8]?

    package init(
        session: Session, revision: Int, basePath: String, node: String? = nil, createdAt: Int, lastActiveAt: Int,
        expiresAt: Int?, extent: Extent? = nil, state: [UInt8]?,
        replay: [ReplayedAction]? = nil
    ) {
        id = session.id.description
        self.replay = replay
        mark = session.id.fingerprint
        self.extent = extent
        path = "\(basePath)/sessions/\(id)"
        store = session.kind.name
        self.revision = revision
        self.createdAt = createdAt
        self.lastActiveAt = lastActiveAt
        self.expiresAt = expiresAt
        subscribers = session.streamCount
        effects = session.store.runningEffects
        forkedFrom = session.fork?.revision
        owner = session.owner
        self.node = node
        self.state = state
    }

    /// The document of a session that is not in memory: it has no streams and no effects.
    package init(
        hibernated summary: SessionSummary, basePath: String, createdAt: Int, lastActiveAt: Int, expiresAt: Int?,
        extent: Extent?
    ) {
        id = summary.header.id
        mark = Fingerprint.of(id)
        self.extent = extent
        path = "\(basePath)/sessions/\(id)"
        store = summary.header.kind
        revision = summary.revision
        self.createdAt = createdAt
        self.lastActiveAt = lastActiveAt
        self.expiresAt = expiresAt
        subscribers = 0
        effects = []
        forkedFrom = summary.header.forkedFrom
        owner = summary.header.owner
        node = summary.node
        replay = nil
        state = nil
    }

    /// The last use as the document has it.
    package var lastUse: String { Timestamp.rfc3339(lastActiveAt) }

    /// About how many bytes it takes as JSON.
    package var byteCount: Int { (state?.count ?? 0) + 96 * (replay?.count ?? 0) + 1024 }

    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("store", store)
            json.member("revision", revision)
            json.member("createdAt", Timestamp.rfc3339(createdAt))
            json.member("lastActiveAt", lastUse)
            json.member("expiresAt", ifPresent: expiresAt.map(Timestamp.rfc3339))
            json.member("subscribers", subscribers)
            json.member("effects", effects)
            json.member("replay", ifPresent: replay)
            if let forkedFrom { json.member("forkedFrom", object: { $0.member("revision", forkedFrom) }) }
            json.member("owner", ifPresent: owner)
            json.member("mark", mark)
            json.member("stateBytes", ifPresent: extent?.stateBytes)
            json.member("oldestRevision", ifPresent: extent?.oldestRevision)
            json.member("node", ifPresent: node)
            json.member(
                "links",
                object: { json in
                    json.member("self", path)
                    json.member("state", path + "/state")
                    json.member("actions", path + "/actions")
                    json.member("sync", path + "/sync")
                    json.member("events", path + "/events")
                    json.member("forks", path + "/forks")
                    json.member("shares", path + "/shares")
                    json.member("presence", path + "/presence")
                    json.member("signals", path + "/signals")
                })
            if let state { json.member("state", raw: state) }
        }
    }
}
