import JSON
import Observability
import StoreHosting
import Stores

/// A session as clients see it.
struct SessionDocument: JSONEncodable {
    private let id: String
    private let store: String
    private let revision: Int
    private let createdAt: Int
    private let lastActiveAt: Int
    private let expiresAt: Int
    private let subscribers: Int
    private let effects: [String]
    private let forkedFrom: Int?
    /// Nil if the document is without the state.
    private let state: [UInt8]?

    init(session: Session, now: Int, idleTimeout: Int, state: [UInt8]?, revision: Int) {
        id = session.id.description
        store = session.kind.name
        self.revision = revision
        createdAt = session.createdAt
        lastActiveAt = session.lastActiveAt
        expiresAt = session.expires(after: idleTimeout, now: now)
        subscribers = session.streamCount
        effects = session.store.runningEffects
        forkedFrom = session.fork?.revision
        self.state = state
    }

    /// The document of a session that is not in memory: it has no streams and no effects.
    init(hibernated summary: SessionSummary, idleTimeout: Int) {
        id = summary.header.id
        store = summary.header.kind
        revision = summary.revision
        createdAt = summary.header.createdAt
        lastActiveAt = summary.lastActiveAt
        expiresAt = summary.lastActiveAt + idleTimeout
        subscribers = 0
        effects = []
        forkedFrom = summary.header.forkedFrom
        state = nil
    }

    func encode(into json: inout JSONWriter) {
        let path = "/sessions/\(id)"
        json.object { json in
            json.member("id", id)
            json.member("store", store)
            json.member("revision", revision)
            json.member("createdAt", Timestamp.rfc3339(createdAt))
            json.member("lastActiveAt", Timestamp.rfc3339(lastActiveAt))
            json.member("expiresAt", Timestamp.rfc3339(expiresAt))
            json.member("subscribers", subscribers)
            json.member("effects", effects)
            if let forkedFrom { json.member("forkedFrom", object: { $0.member("revision", forkedFrom) }) }
            json.member(
                "links",
                object: { json in
                    json.member("self", path)
                    json.member("state", path + "/state")
                    json.member("actions", path + "/actions")
                    json.member("events", path + "/events")
                    json.member("forks", path + "/forks")
                })
            if let state { json.member("state", raw: state) }
        }
    }
}
