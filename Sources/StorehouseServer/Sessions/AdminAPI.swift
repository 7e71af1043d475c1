import HTTP
import JSON
import StoreHosting
import Stores

/// Lists the sessions, for requests with the admin token.
final class AdminAPI: Sendable {
    private let registry: SessionRegistry
    private let journal: (any Journal)?
    private let clock: WallClock
    private let token: String

    init(_ registry: SessionRegistry, journal: (any Journal)?, clock: WallClock, token: String) {
        self.registry = registry
        self.journal = journal
        self.clock = clock
        self.token = token
    }

    /// The session documents in the order of their ids, a page at a time.
    func listSessions(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try authorize(context.head)
        let limit = try context.head.pageSize()
        var after: SessionID?
        if let text = context.head.query.first("after") {
            guard let id = SessionID(text.utf8) else {
                throw Problem(.malformedRequest, "after must be the id of a session.")
            }
            after = id
        }
        // One more than the page shows, to know whether another page follows.
        let resident = registry.list(after: after, limit: limit + 1)
        let deferred = context.deferred
        guard let journal else { return context.answer(page(resident.map { (.resident($0)) }, limit)) }
        journal.list(after: after?.description, limit: limit + 1) { [self] found in
            deferred.resume { [self] context throws(Problem) in
                let stored = try found.mapError(Problem.init).get()
                context.answer(page(Self.merged(resident, stored), limit))
            }
        }
    }

    private enum Listed {
        case resident(Session)
        case hibernated(SessionSummary)

        var id: String {
            switch self {
            case .resident(let session): session.id.description
            case .hibernated(let summary): summary.header.id
            }
        }
    }

    /// The journal lists resident sessions too: each is shown once, as it is in memory.
    private static func merged(_ resident: [Session], _ stored: [SessionSummary]) -> [Listed] {
        let known = Set(resident.map(\.id.description))
        var all = resident.map(Listed.resident)
        all += stored.filter { !known.contains($0.header.id) }.map(Listed.hibernated)
        return all.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    private func page(_ sessions: [Listed], _ limit: Int) -> Response {
        let page = sessions.prefix(limit)
        var json = JSONWriter(reservingCapacity: 128 + page.count * 400)
        json.object { json in
            json.name("sessions")
            json.array { json in
                for session in page { json.value(document(session)) }
            }
            json.member("next", sessions.count > limit ? page.last?.id : nil)
        }
        return .document(json.finish(), fields: [.init("Cache-Control", "no-store")])
    }

    private func document(_ listed: Listed) -> SessionDocument {
        let idleTimeout = registry.policy.idleTimeout
        return switch listed {
        case .resident(let session):
            SessionDocument(
                session: session, now: clock.now(), idleTimeout: idleTimeout, state: nil,
                revision: session.store.revision)
        case .hibernated(let summary): SessionDocument(hibernated: summary, idleTimeout: idleTimeout)
        }
    }

    /// Requires the admin token (RFC 6750).
    private func authorize(_ head: RequestHead) throws(Problem) {
        let credentials = head.fields.values("authorization").first?.split(separator: " ", maxSplits: 1) ?? []
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
