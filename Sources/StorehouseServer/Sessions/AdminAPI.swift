import HTTP
import JSON
import StoreHosting
import Stores

/// Lists the sessions, for requests with the admin token.
final class AdminAPI: Sendable {
    private let registry: SessionRegistry
    /// Nil if all sessions are in memory.
    private let journal: (any Journal)?
    private let pool: WorkPool
    private let token: String

    init(_ registry: SessionRegistry, journal: (any Journal)?, _ pool: WorkPool, token: String) {
        self.registry = registry
        self.journal = journal?.outlivesProcess == true ? journal : nil
        self.pool = pool
        self.token = token
    }

    /// The session documents in the order of their ids, a page at a time.
    func listSessions(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try authorize(context.head)
        let limit = try context.head.pageSize()
        let after = try Self.cursor(context.head)
        let deferred = context.deferred
        // One more than the page shows, to know whether another page follows. All of it is done off the event loop.
        guard let journal else {
            return try pool.run(for: .admin) { [registry] in
                let sessions = registry.list(after: after, limit: limit + 1)
                let page = Page(last: sessions.count > limit ? sessions[limit - 1].id : nil)
                let response = page.response(sessions.prefix(limit)) {
                    registry.document(of: $0, revision: $0.store.revision)
                }
                deferred.answer { response }
            }
        }
        journal.list(after: after?.description, limit: limit + 1) { [registry] found in
            let response = found.mapError(Problem.init).map { sessions in
                let page = Page(last: sessions.count > limit ? SessionID(sessions[limit - 1].header.id.utf8) : nil)
                return page.response(sessions.prefix(limit)) { registry.document(of: $0) }
            }
            deferred.resume { context throws(Problem) in context.answer(try response.get()) }
        }
    }

    private struct Page {
        /// The last session on the page, if another page follows.
        let last: SessionID?

        func response<Listed>(
            _ sessions: some Collection<Listed>, _ document: (Listed) -> SessionDocument
        ) -> Response {
            var json = JSONWriter(reservingCapacity: 128 + sessions.count * 400)
            json.object { json in
                json.name("sessions")
                json.array { json in
                    for session in sessions { json.value(document(session)) }
                }
                json.member("next", last?.cursor)
            }
            return .document(json.finishLine(), fields: [.init("Cache-Control", "no-store")])
        }
    }

    /// The id after which the page begins; nil for the first page.
    private static func cursor(_ head: RequestHead) throws(Problem) -> SessionID? {
        guard let text = head.query.first("after") else { return nil }
        guard let id = SessionID(cursor: text) else {
            throw Problem(.malformedRequest, "after must be the next of an earlier page.")
        }
        return id
    }

    /// Requires the admin token (RFC 6750).
    private func authorize(_ head: RequestHead) throws(Problem) {
        let fields = head.fields.values("authorization")
        // Of two, a proxy may have checked the other one.
        guard fields.count < 2 else {
            throw Problem(.unauthorized, "Send one Authorization field only.")
                .with(.init("WWW-Authenticate", "Bearer realm=\"admin\", error=\"invalid_request\""))
        }
        let credentials = fields.first?.split(separator: " ", maxSplits: 1) ?? []
        guard credentials.count == 2, credentials[0].lowercased() == "bearer" else {
            throw Problem(.unauthorized, "Send Authorization: Bearer with the admin token.")
                .with(.init("WWW-Authenticate", "Bearer realm=\"admin\""))
        }
        guard !token.isEmpty, Self.areEqual(credentials[1].utf8, token.utf8) else {
            throw Problem(.unauthorized, "The token is not the admin token of this server.")
                .with(.init("WWW-Authenticate", "Bearer realm=\"admin\", error=\"invalid_token\""))
        }
    }

    /// Takes the same time wherever the difference is, so that the token cannot be guessed byte by byte.
    private static func areEqual(_ given: Substring.UTF8View, _ token: String.UTF8View) -> Bool {
        var difference = UInt8(given.count == token.count ? 0 : 1)
        for (given, byte) in zip(given, token) { difference |= given ^ byte }
        return difference == 0
    }
}
