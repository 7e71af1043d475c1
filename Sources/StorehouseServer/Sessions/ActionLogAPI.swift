import HTTP
import JSON
import Observability
import StoreHosting
import Stores

extension Service {
    /// How many entries of a log a client may ask for at once, and how many it gets where it does not say.
    static let pageSizes = 1...1000
    static let usualPageSize = 100

    /// The action log, oldest first, a page at a time.
    func readActions(_ session: Session, _ call: Call) throws(Problem) {
        let after = try Self.number("after", in: call.head, 0...Int.max) ?? 0
        let limit = try Self.number("limit", in: call.head, Self.pageSizes) ?? Self.usualPageSize
        guard let journal = session.journal else {
            throw Problem(.notImplemented, "This server keeps no log of actions.")
        }
        let later = call.later
        journal.whenDurable { failure in
            if let failure { return later.resume { (_) throws(Problem) in throw Problem(failure) } }
            // One more than is shown tells whether there are more.
            journal.commits(after: after, limit: limit + 1) { entries in
                later.resume { call throws(Problem) in call.answer(try Self.page(entries, limit)) }
            }
        }
    }

    private static func page(
        _ found: Result<[CommitRecord]?, JournalError>, _ limit: Int
    ) throws(Problem) -> Response {
        guard let entries = try found.mapError(Problem.init).get() else {
            throw Problem(.revisionGone, "The log does not go back that far any more; begin at a later revision.")
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

    /// The number that a query names; nil where it names none. One too long for 64 bits is beyond all revisions.
    static func number(
        _ name: String, in head: RequestHead, _ range: ClosedRange<Int>
    ) throws(Problem) -> Int? {
        guard let text = head.query.first(name) else { return nil }
        // Int takes signs too.
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            let number = Int(text) ?? .max
            if range.contains(number) { return number }
        }
        let expected =
            range.upperBound == .max ? "a revision" : "a number from \(range.lowerBound) to \(range.upperBound)"
        throw Problem(.malformedRequest, "\(name) must be \(expected).")
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
            json.member("at", Timestamp.rfc3339(record.at))
        }
    }
}
