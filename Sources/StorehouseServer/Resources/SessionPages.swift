import HTTP
import HTTPServer
import Sessions
import StoreHosting

/// Fills the pages of lists of sessions, and answers with them. None of it runs on an event loop, as a page may have a thousand sessions.
struct SessionPages: Sendable {
    /// Nil if no other process has sessions.
    private let elsewhere: SessionsElsewhere?
    let pool: WorkPool
    private let sealer: ClientSealer

    init(_ elsewhere: SessionsElsewhere?, _ pool: WorkPool, _ sealer: ClientSealer) {
        self.elsewhere = elsewhere
        self.pool = pool
        self.sealer = sealer
    }

    /// The empty page that a query asks for.
    func page<Place>(
        _ head: RequestHead, _ filter: SessionFilter, maxLooks: Int = 20_000
    ) throws(Problem) -> SessionPage<Place> {
        let cursor = head.query.first("after")
        let start: Place? = cursor.flatMap { sealer.place(behind: $0) }
        guard cursor == nil || start != nil else { throw Problem(.query(.cursor)) }
        return SessionPage(after: start, limit: try head.pageSize(), filter, maxLooks: maxLooks)
    }

    /// Answers a request with a page.
    ///
    /// - Parameter fill: adds the sessions.
    func answer<Place>(
        _ context: RequestContext, with page: SessionPage<Place>,
        filledBy fill: @escaping @Sendable (SessionPage<Place>) async throws(SessionFailure) -> SessionPage<Place>,
        for owner: WorkOwner
    ) {
        context.handleLater { [self] pending async throws(Problem) in
            let list = Handling.later { () async throws(SessionFailure) in
                try await self.response(try await fill(page), for: owner, pending)
            }
            let shown = try await list.awaited()
            pending.here?.answer(shown)
        }
    }

    private func response<Place>(
        _ page: SessionPage<Place>, for owner: WorkOwner, _ pending: PendingRequest
    ) async throws(SessionFailure) -> Response {
        guard let others = await elsewhere?.pages(of: page.sources, pending) else {
            return await Task { page.response(sealer.cursor) }.value
        }
        return try await pool.run(for: owner) { () async throws(SessionFailure) in
            var page = page
            page.show(others.documents())
            return page.response(sealer.cursor)
        }
    }
}
