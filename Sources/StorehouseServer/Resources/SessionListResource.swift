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
    /// How many of them are looked at before it is found out whether the client is still there.
    private static let looksAtOnce = 50

    private let reads = StorageReads(.init(working: 2, waitingPerOwner: 16))
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
        let page: SessionPage<SessionID> = try pages.page(context.head, SessionFilter(), maxLooks: Self.maxLooks)
        let owner = WorkOwner.subject(claims.subject)
        let pending = context.pending
        pages.answer(
            context, with: page,
            filledBy: { [self] page async throws(SessionFailure) in
                let turn = try await reads.turn(of: owner)
                defer { withExtendedLifetime(turn) {} }
                var page = page
                while !page.isFull {
                    // Nobody takes the answer to a client that is gone.
                    guard pending.here != nil else { throw .unavailable(.reads) }
                    let filled = page
                    page = try await pages.pool.run(for: owner) { () async throws(SessionFailure) in
                        try await self.portion(question, behind: filled)
                    }
                }
                return page
            }, for: owner)
    }

    /// A page with the next sessions behind it.
    private func portion(
        _ question: SubjectSessions.Question, behind page: SessionPage<SessionID>
    ) async throws(SessionFailure) -> SessionPage<SessionID> {
        var page = page
        // The last portion has one session more than the page shows, to know whether another page follows.
        let count = page.nextCount <= 2 * Self.looksAtOnce ? page.nextCount : Self.looksAtOnce
        let portion = try await sessions.next(question, after: page.last, limit: count)
        var rest = portion.sessions[...]
        while !page.isFull, let (id, document) = rest.popFirst() { page.append(document, id) }
        if portion.isLast, !rest.contains(where: { $0.document != nil }) { page.end() }
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
