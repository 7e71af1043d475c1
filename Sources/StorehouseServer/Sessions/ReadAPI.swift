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
        var json = JSONWriter(reservingCapacity: 1024)
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
        session.whenDurable { failure in
            if let failure { return deferred.answer { Problem(failure).response } }
            // One more than the page shows, to know whether another page follows.
            journal.commits(after: after, limit: limit + 1) { entries in
                deferred.resume { context throws(Problem) in context.answer(try Self.page(entries, limit)) }
            }
        }
    }

    private static func page(
        _ found: Result<[CommitRecord]?, JournalError>, _ limit: Int
    ) throws(Problem) -> Response {
        guard let entries = try found.mapError(Problem.init).get() else {
            throw Problem(.revisionGone, "The log no longer reaches back that far; begin at a later revision.")
                .with("reason", "retention")
        }
        let page = entries.prefix(limit)
        var json = JSONWriter(reservingCapacity: 128 + page.count * 160)
        json.object { json in
            json.name("actions")
            json.array { json in
                for record in page { json.value(LoggedAction(record: record)) }
            }
            json.member("next", entries.count > limit ? page.last?.revision : nil)
        }
        return .document(json.finish(), fields: [.init("Cache-Control", "no-store")])
    }
}

/// A commit as the action log shows it.
private struct LoggedAction: JSONEncodable {
    let record: CommitRecord

    func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("revision", record.revision)
            json.member("type", record.type)
            json.member("payload", record.payload)
            json.member("origin", record.origin.rawValue)
            json.member("cause", record.cause)
            json.member("at", Timestamp.rfc3339(record.committedAt))
        }
    }
}
