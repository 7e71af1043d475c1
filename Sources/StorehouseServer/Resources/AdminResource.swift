import HTTP
import JSON
import Observability
import Security
import StoreHosting
import Stores

/// Lists, shows and ends sessions, for operators.
final class AdminResource: Sendable {
    private let access: SessionAccess
    private let registry: SessionRegistry
    private let sessions: SessionResource
    /// Nil if all sessions are in memory.
    private let journal: (any Journal)?
    /// Nil if there are no other nodes.
    private let forwarder: Forwarder?
    private let pool: WorkPool
    private let sealer: ClientSealer

    init(
        _ access: SessionAccess, _ registry: SessionRegistry, _ sessions: SessionResource, journal: (any Journal)?,
        _ forwarder: Forwarder?, _ pool: WorkPool, _ sealer: ClientSealer
    ) {
        self.forwarder = forwarder
        self.sealer = sealer
        self.access = access
        self.registry = registry
        self.sessions = sessions
        self.journal = journal?.outlivesProcess == true ? journal : nil
        self.pool = pool
    }

    /// The session document. Whoever looks does not use the session, so it expires as if nobody had looked.
    func read(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try sessions.read(id, for: .admin, isUse: false, context)
    }

    /// Ends a session.
    func delete(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try sessions.delete(id, context)
    }

    /// The session documents in the order of their ids, a page at a time.
    func listSessions(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let page = SessionPage(
            after: try start(context.head), limit: try context.head.pageSize(), try Self.filter(context.head))
        let deferred = context.deferred
        guard let journal else {
            return try run { [registry, sealer] in
                // One more than the page shows, to know whether another page follows.
                let sessions = registry.list(after: page.last, limit: page.limit + 1) {
                    page.filter.matches($0.id.description, store: $0.kind.name, owner: $0.owner)
                }
                var full = page
                for session in sessions where !full.isFull {
                    full.append(registry.document(of: session, revision: session.store.revision), session.id)
                }
                if sessions.count <= page.limit { full.end() }
                let response = full.response(sealer.cursor)
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
                    page.append(page.filter.matches(session.header) ? registry.document(of: session) : nil, id)
                }
                let isLast =
                    sessions.count < count
                    && !rest.contains { page.filter.matches($0.header) }
                if isLast { page.end() }
                guard page.isFull else { return fill(page, from: journal, deferred) }
                complete(page, deferred)
            } catch {
                deferred.answer { Problem(error).response }
            }
        }
    }

    /// Answers with a page, after the other nodes were asked for their sessions on it.
    private func complete(_ page: SessionPage, _ deferred: RequestContext.Deferred) {
        let others = page.nodes.filter { $0 != forwarder?.identity.name && forwarder?.isGone($0) == false }
        guard let forwarder, !others.isEmpty else {
            let response = page.response(sealer.cursor)
            return deferred.answer { response }
        }
        deferred.resume { [self] context throws(Problem) in
            if context.isForwarded { return context.answer(page.response(sealer.cursor)) }
            forwarder.ask(others, context) { [self] bodies in
                do throws(Problem) {
                    try run { [sealer] in
                        var page = page
                        for (node, body) in bodies { page.merge(body, of: node) }
                        let response = page.response(sealer.cursor)
                        deferred.answer { response }
                    }
                } catch {
                    deferred.answer { error.response }
                }
            }
        }
    }

    /// Runs work in the turn of the operator.
    private func run(_ work: @escaping WorkPool.Job) throws(Problem) {
        try Problem.of { () throws(SessionFailure) in try pool.run(for: .admin, work) }
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

    /// The id after which the page begins; nil for the first page.
    private func start(_ head: RequestHead) throws(Problem) -> SessionID? {
        guard let text = head.query.first("after") else { return nil }
        guard let id = sealer.session(behind: text) else {
            throw Problem(.query(.cursor))
        }
        return id
    }
}

extension SessionFilter {
    fileprivate func matches(_ session: SessionHeader) -> Bool {
        matches(session.id, store: session.kind, owner: session.owner)
    }
}
