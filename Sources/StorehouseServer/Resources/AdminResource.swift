import HTTP
import HTTPServer
import JSON
import Observability
import Security
import Sessions
import StoreHosting
import Stores

/// Lists, shows and ends sessions, for operators.
final class AdminResource: Sendable {
    private let access: SessionAccess
    private let registry: SessionRegistry
    private let sessions: SessionResource
    /// Nil if all sessions are in memory.
    private let journal: (any Journal)?
    private let pages: SessionPages
    private let recent: RecentSessions

    init(
        _ access: SessionAccess, _ registry: SessionRegistry, _ sessions: SessionResource, journal: (any Journal)?,
        _ pages: SessionPages
    ) {
        self.pages = pages
        self.access = access
        self.registry = registry
        self.sessions = sessions
        self.journal = journal?.outlivesProcess == true ? journal : nil
        recent = RecentSessions(registry, self.journal)
    }

    /// The session document. Whoever looks does not use the session, so it expires as if nobody had looked.
    func read(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try sessions.read(id, for: .admin, isUse: false, context)
    }

    /// Ends a session.
    func delete(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try sessions.delete(id, context)
    }

    /// The session documents in the order of their ids or of their last use, a page at a time.
    func listSessions(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let filter = try Self.filter(context.head)
        switch context.head.query.first("order") {
        case nil:
            pages.answer(context, with: try pages.page(context.head, filter), filledBy: filledByID, for: .admin)
        case "used":
            pages.answer(context, with: try pages.page(context.head, filter), filledBy: filledByUse, for: .admin)
        default: throw Problem(.query(.order))
        }
    }

    private func filledByUse(_ page: SessionPage<UsePlace>) async throws(SessionFailure) -> SessionPage<UsePlace> {
        // Not on the loop, as a page may have a thousand sessions.
        try await beginTask { [recent] () -> Result<SessionPage<UsePlace>, SessionFailure> in
            let filter = page.filter
            var page = page
            do throws(JournalError) {
                let maxLooks = filter.isEmpty ? Int.max : page.maxLooks
                let portion = try await recent.next(after: page.last, limit: page.limit, maxLooks: maxLooks) {
                    filter.matches($0, store: $1, owner: $2)
                }
                for (place, document) in portion.sessions { page.append(document, place) }
                page.end(behind: portion.next)
                return .success(page)
            } catch {
                return .failure(.unavailable(.storage(error)))
            }
        }.value.get()
    }

    private func filledByID(_ page: SessionPage<SessionID>) async throws(SessionFailure) -> SessionPage<SessionID> {
        guard let journal else {
            return try await pages.pool.run(for: .admin) { () async throws(SessionFailure) in withResidents(page) }
        }
        // Not on the loop, as a page may have a thousand sessions.
        return try await beginTask { await self.filled(page, from: journal) }.value.get()
    }

    /// A page of the sessions in memory.
    private func withResidents(_ page: SessionPage<SessionID>) -> SessionPage<SessionID> {
        var page = page
        // One more than the page shows, to know whether another page follows.
        let sessions = registry.list(after: page.last, limit: page.limit + 1) {
            page.filter.matches($0.id.description, store: $0.kind.name, owner: $0.owner)
        }
        var sizes = StateSizes()
        for session in sessions where !page.isFull { page.append(registry.document(of: session, &sizes), session.id) }
        if sessions.count <= page.limit { page.end() }
        return page
    }

    /// A page of the stored sessions, read in portions.
    private func filled(
        _ page: SessionPage<SessionID>, from journal: any Journal
    ) async -> Result<SessionPage<SessionID>, SessionFailure> {
        var page = page
        var sizes = StateSizes()
        while !page.isFull {
            let count = page.nextCount
            do throws(JournalError) {
                let found = try await journal.list(after: page.last?.description, limit: count)
                append(found, of: count, to: &page, &sizes)
            } catch {
                return .failure(.unavailable(.storage(error)))
            }
        }
        return .success(page)
    }

    /// - Parameter count: so many sessions were asked for.
    private func append(
        _ sessions: [SessionSummary], of count: Int, to page: inout SessionPage<SessionID>, _ sizes: inout StateSizes
    ) {
        var rest = sessions[...]
        while !page.isFull, let session = rest.popFirst() {
            guard let id = SessionID(session.header.id.utf8) else { continue }
            page.append(page.filter.matches(session.header) ? registry.document(of: session, &sizes) : nil, id)
        }
        if sessions.count < count, !rest.contains(where: { page.filter.matches($0.header) }) { page.end() }
    }

    private static func filter(_ head: RequestHead) throws(Problem) -> SessionFilter {
        let mark = head.query.first("mark")
        guard mark.map(Fingerprint.isWellFormed) ?? true else {
            throw Problem(.query(.mark))
        }
        return SessionFilter(
            store: head.query.first("store").map { Subject($0) }, owner: head.query.first("owner").map { Subject($0) },
            mark: mark?.lowercased())
    }
}

extension SessionFilter {
    fileprivate func matches(_ session: SessionHeader) -> Bool {
        matches(session.id, store: session.kind, owner: session.owner)
    }
}
