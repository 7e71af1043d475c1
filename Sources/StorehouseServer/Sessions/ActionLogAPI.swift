import HTTP
import JSON
import Observability
import StoreHosting
import Stores

/// Shows the action log of sessions, oldest first, a page at a time.
final class ActionLogAPI: Sendable {
    private let access: SessionAccess

    init(_ access: SessionAccess) { self.access = access }

    func read(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.authorizedSession(id, context, read)
    }

    private func read(_ session: Session, _ context: RequestContext) throws(Problem) {
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
