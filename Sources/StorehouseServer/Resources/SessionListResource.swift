import HTTP
import HTTPServer
import JSON
import Security
import Sessions
import StoreHosting
import Stores

/// Lists the sessions that the subject of a token owns or is a member of.
final class SessionListResource: Sendable {
    /// How many sessions are looked at for one page. The state of each may have to be read.
    private static let maxLooks = 1000

    private let sessions: SubjectSessions
    /// Nil if no other process has sessions.
    private let elsewhere: SessionsElsewhere?
    private let pool: WorkPool
    private let sealer: ClientSealer

    init(_ sessions: SubjectSessions, _ elsewhere: SessionsElsewhere?, _ pool: WorkPool, _ sealer: ClientSealer) {
        self.sessions = sessions
        self.elsewhere = elsewhere
        self.pool = pool
        self.sealer = sealer
    }

    /// The session documents in the order of their ids, a page at a time.
    func list(_ claims: TokenClaims, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let question = SubjectSessions.Question(
            of: claims.subject, claims.actor, as: try Self.role(context.head),
            store: context.head.query.first("store").map { Subject($0) }, among: claims.stores)
        let page = try SessionPage(context.head, SessionFilter(), sealer, maxLooks: Self.maxLooks)
        context.handleLater { [self] pending async throws(Problem) in
            let list = Handling.later { () async throws(SessionFailure) in
                try await self.response(to: question, page, pending)
            }
            let shown = try await list.awaited()
            pending.here?.answer(shown)
        }
    }

    private func response(
        to question: SubjectSessions.Question, _ page: SessionPage, _ pending: PendingRequest
    ) async throws(SessionFailure) -> Response {
        let page = try await pool.run(for: .subject(question.subject)) { () async throws(SessionFailure) in
            try await filled(page, question)
        }
        let others = await elsewhere?.pages(of: page.sources, pending)
        return try await pool.run(for: .subject(question.subject)) { () async throws(SessionFailure) in
            var page = page
            if let others { page.show(others.documents()) }
            return page.response(sealer.cursor)
        }
    }

    private func filled(
        _ page: SessionPage, _ question: SubjectSessions.Question
    ) async throws(SessionFailure) -> SessionPage {
        var page = page
        while !page.isFull {
            let portion = try await sessions.next(question, after: page.last, limit: page.nextCount)
            var rest = portion.sessions[...]
            while !page.isFull, let (id, document) = rest.popFirst() { page.append(document, id) }
            if portion.isLast, !rest.contains(where: { $0.document != nil }) { page.end() }
        }
        return page
    }

    /// Nil for both.
    private static func role(_ head: RequestHead) throws(Problem) -> SessionRole? {
        guard let text = head.query.first("role") else { return nil }
        guard let role = SessionRole(rawValue: text) else {
            throw Problem(.query(.choice("role", SessionRole.allCases.map(\.rawValue))))
        }
        return role
    }
}
