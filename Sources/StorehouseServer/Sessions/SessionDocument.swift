import JSON
import Stores

/// What a client is told about a session.
struct SessionDocument: JSONEncodable {
    let session: Session
    let now: Int
    let idleTimeout: Int
    /// The state, where it belongs to the document.
    var state: [UInt8]?
    let revision: Int

    func encode(into json: inout JSONWriter) {
        let path = "/sessions/\(session.id)"
        json.object { json in
            json.member("id", session.id.description)
            json.member("store", session.kind.name)
            json.member("revision", revision)
            json.member("createdAt", Timestamp.rfc3339(session.createdAt))
            json.member("lastActiveAt", Timestamp.rfc3339(session.lastActiveAt))
            json.member("expiresAt", Timestamp.rfc3339(session.expires(after: idleTimeout, now: now)))
            json.member("subscribers", session.streamCount)
            json.member("effects", session.store.runningEffects)
            json.member(
                "links",
                object: { json in
                    json.member("self", path)
                    json.member("state", path + "/state")
                    json.member("actions", path + "/actions")
                    json.member("events", path + "/events")
                })
            if let state { json.member("state", raw: state) }
        }
    }
}
