import HTTP
import JSON
import Observability
import StoreHosting
import Stores

/// Shows the state of sessions, now or at an earlier revision, and their action logs.
final class ReadAPI: Sendable {
    private let access: SessionAccess

    init(_ access: SessionAccess) { self.access = access }

    func readState(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.authorizedSession(id, context, readState)
    }

    private func readState(_ session: Session, _ context: RequestContext) throws(Problem) {
        let selection = try context.head.selection(for: session.kind)
        let condition = try context.head.condition("if-none-match", "If-None-Match")
        let wanted = try context.head.number("revision", in: 0...Int.max)
        let newest = session.store.revision
        if let condition, newest == wanted ?? newest, condition.matchesWeakly(EntityTag(revision: newest)) {
            return context.answer(Self.notModified(newest), about: session)
        }
        guard let revision = wanted else {
            return context.answer(Self.document(session.store.read(selection)), about: session)
        }
        if revision == newest {
            let state = session.store.read(selection)
            // A commit may have come in between.
            if state.revision == revision { return context.answer(Self.document(state), about: session) }
        }
        let deferred = context.deferred
        session.state(at: revision) { found in
            deferred.resume { context throws(Problem) in
                let state = try found.get()
                if let condition, condition.matchesWeakly(EntityTag(revision: revision)) {
                    return context.answer(Self.notModified(revision))
                }
                let json = try Self.select(selection, of: state, session.kind)
                context.answer(Self.document(EncodedState(revision: revision, json: json)))
            }
        }
    }

    private static let fields = [Response.Field("Cache-Control", "private, no-cache")]

    private static func notModified(_ revision: Int) -> Response {
        Response(.notModified, fields: fields, revision: revision)
    }

    private static func document(_ state: EncodedState) -> Response {
        // The exact size, since growing step by step leaves holes in the memory.
        var json = JSONWriter(reservingCapacity: state.json.count + 48)
        json.object { json in
            json.member("revision", state.revision)
            json.member("state", raw: state.json)
        }
        return .document(json.finish(), revision: state.revision, fields: fields)
    }

    private static func select(
        _ selection: Selection, of state: StateSnapshot, _ kind: StoreKind
    ) throws(Problem) -> [UInt8] {
        do {
            return try kind.select(selection, of: state)
        } catch {
            throw Problem(.internalError, "This release of the store cannot read the revision: \(error).")
        }
    }
}

// Action logs.
extension ReadAPI {
    /// The action log, oldest first, a page at a time.
    func readActions(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.authorizedSession(id, context, readActions)
    }

    private func readActions(_ session: Session, _ context: RequestContext) throws(Problem) {
        let after = try context.head.number("after", in: 0...Int.max) ?? 0
        let limit = try context.head.pageSize()
        guard let journal = session.journal else {
            throw Problem(.notImplemented, "This server stores no log of actions.")
        }
        let deferred = context.deferred
        session.whenDurable { [self] failure in
            if let failure { return deferred.answer { Problem(failure).response } }
            fill(ActionLogPage(after: after, limit: limit), from: journal, deferred)
        }
    }

    /// Reads commits in portions, since a page may end long before its limit, and answers with the page.
    private func fill(_ page: ActionLogPage, from journal: any SessionJournal, _ deferred: RequestContext.Deferred) {
        let count = page.nextCount
        journal.commits(after: page.lastRevision, limit: count) { [self] found in
            var page = page
            do throws(JournalError) {
                if try page.append(found.get(), of: count) { return fill(page, from: journal, deferred) }
            } catch {
                return deferred.answer { Problem(error).response }
            }
            let full = page
            deferred.resume { context throws(Problem) in context.answer(try Self.response(full)) }
        }
    }

    private static func response(_ page: ActionLogPage) throws(Problem) -> Response {
        if page.isGone {
            throw Problem(.revisionGone, "The log no longer reaches back that far; begin at a later revision.")
                .with("reason", "retention")
        }
        return .document(page.json, fields: [.init("Cache-Control", "no-store")])
    }
}
