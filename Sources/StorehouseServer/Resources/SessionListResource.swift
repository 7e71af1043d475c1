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
    private let pages: SessionPages

    init(_ sessions: SubjectSessions, _ pages: SessionPages) {
        self.sessions = sessions
        self.pages = pages
    }

    /// The session documents in the order of their ids, a page at a time.
    func list(_ claims: TokenClaims, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let question = SubjectSessions.Question(
            of: claims.subject, claims.actor, as: try Self.role(context.head),
            store: context.head.query.first("store").map { Subject($0) }, among: claims.stores)
        let page = try pages.page(context.head, SessionFilter(), maxLooks: Self.maxLooks)
        let owner = WorkOwner.subject(claims.subject)
        pages.answer(
            context, with: page,
            filledBy: { [self] page async throws(SessionFailure) in
                try await pages.pool.run(for: owner) { () async throws(SessionFailure) in
                    try await filled(page, question)
                }
            }, for: owner)
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
