import HTTP
import JSON
import StoreHosting
import Stores

/// Lists, shows and ends sessions, for requests with the admin token.
final class AdminAPI: Sendable {
    private let access: SessionAccess
    private let registry: SessionRegistry
    private let sessions: SessionAPI
    /// Nil if all sessions are in memory.
    private let journal: (any Journal)?
    private let pool: WorkPool
    private let token: String

    init(
        _ access: SessionAccess, _ registry: SessionRegistry, _ sessions: SessionAPI, journal: (any Journal)?,
        _ pool: WorkPool, token: String
    ) {
        self.access = access
        self.registry = registry
        self.sessions = sessions
        self.journal = journal?.outlivesProcess == true ? journal : nil
        self.pool = pool
        self.token = token
    }

    /// The session document. Whoever looks does not use the session, so it expires as if nobody had looked.
    func read(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try authorize(context.head)
        try access.authorizedSession(id, context, isUse: false, sessions.answer(with:_:))
    }

    /// Ends a session.
    func delete(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try authorize(context.head)
        try sessions.delete(id, context)
    }

    /// The session documents in the order of their ids, a page at a time.
    func listSessions(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try authorize(context.head)
        let page = SessionPage(
            after: try Self.cursor(context.head), limit: try context.head.pageSize(),
            SessionFilter(store: context.head.query.first("store"), owner: context.head.query.first("owner")))
        let deferred = context.deferred
        guard let journal else {
            return try pool.run(for: .admin) { [registry] in
                // One more than the page shows, to know whether another page follows.
                let sessions = registry.list(after: page.last, limit: page.limit + 1) {
                    page.filter.matches(store: $0.kind.name)
                }
                var full = page
                for session in sessions where !full.isFull {
                    full.append(registry.document(of: session, revision: session.store.revision), session.id)
                }
                if sessions.count <= page.limit { full.end() }
                let response = full.response
                deferred.answer { response }
            }
        }
        fill(page, from: journal, deferred)
    }

    /// Reads stored sessions in portions until the page is full, and answers with it.
    private func fill(_ page: SessionPage, from journal: any Journal, _ deferred: RequestContext.Deferred) {
        let count = page.nextCount
        journal.list(after: page.last?.description, limit: count) { [self] found in
            var page = page
            do throws(JournalError) {
                let sessions = try found.get()
                var rest = sessions[...]
                while !page.isFull, let session = rest.popFirst() {
                    guard let id = SessionID(session.header.id.utf8) else { continue }
                    let isListed = page.filter.matches(store: session.header.kind)
                    page.append(isListed ? registry.document(of: session) : nil, id)
                }
                let isLast = sessions.count < count && !rest.contains { page.filter.matches(store: $0.header.kind) }
                if isLast { page.end() }
                guard page.isFull else { return fill(page, from: journal, deferred) }
                let response = page.response
                deferred.answer { response }
            } catch {
                deferred.answer { Problem(error).response }
            }
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
