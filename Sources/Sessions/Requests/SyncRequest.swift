package import JSON
import StoreHosting
package import Stores

/// The outbox of a client, or a part of it, which it sends to a session.
///
/// It is a class because it is immutable, and every layer passes it on.
package final class SyncRequest: Sendable {
    /// Reads the parsed body of a request.
    package typealias Parse = @Sendable (JSONValue) throws(SessionFailure) -> SyncBody

    /// The bytes that the client has sent.
    package let bytes: [UInt8]
    /// Nil as long as it is not parsed.
    let body: SyncBody?
    /// Of the entries, if they were made with the body.
    let hashes: [EntryHash]?
    let parse: Parse
    let trace: TraceContext?
    package let requestID: String
    /// Whether the client may not know what its actions have started.
    package let hidesEffects: Bool

    /// - Parameter json: the parsed bytes; nil if they are to be parsed later, because they are many.
    package convenience init(
        _ bytes: [UInt8], _ json: JSONValue?, trace: TraceContext?, requestID: String, parse: @escaping Parse
    ) throws(SessionFailure) {
        let body: SyncBody?
        if let json { body = try parse(json) } else { body = nil }
        self.init(bytes, body, nil, parse, trace, requestID, hidesEffects: false)
    }

    private init(
        _ bytes: [UInt8], _ body: SyncBody?, _ hashes: [EntryHash]?, _ parse: @escaping Parse,
        _ trace: TraceContext?, _ requestID: String, hidesEffects: Bool
    ) {
        self.bytes = bytes
        self.body = body
        self.hashes = hashes
        self.parse = parse
        self.trace = trace
        self.requestID = requestID
        self.hidesEffects = hidesEffects
    }

    /// A copy with its body and the hashes. They take longer than the parsing, so a request that the record refuses gets none.
    func with(
        json: JSONValue, by principal: Credentials, in session: Session
    ) throws(SessionFailure) -> SyncRequest {
        let body = try parse(json)
        let client = ClientKey(body.client, try principal.clientScope(in: session))
        if !body.entries.isEmpty,
            let refusal = session.clients.withRecords({ $0.refusal(of: client, from: body.from) })
        {
            throw .client(refusal)
        }
        let hashes = body.hashes(of: client, in: session)
        return SyncRequest(bytes, body, hashes, parse, trace, requestID, hidesEffects: hidesEffects)
    }

    /// A copy for a client that may not know what its actions have started.
    func hidingEffects() -> SyncRequest {
        SyncRequest(bytes, body, hashes, parse, trace, requestID, hidesEffects: true)
    }
}

/// The parsed body of a ``SyncRequest``.
package struct SyncBody: Sendable {
    /// 22 to 64 characters of URL-safe base64.
    let client: String
    /// Whether the client begins its record.
    let isNew: Bool
    /// The number of the first entry. The client knows the outcomes of all numbers below it.
    let from: Int
    let entries: [Entry]

    package init(client: String, isNew: Bool, from: Int, entries: [Entry]) {
        self.client = client
        self.isNew = isNew
        self.from = from
        self.entries = entries
    }

    /// The hashes of the entries, by which a client's record tells them from others.
    func hashes(of client: ClientKey, in session: Session) -> [EntryHash] {
        let hasher = session.runtime.hasher
        return entries.enumerated().map { index, entry in
            let actions = hasher.hidesSecrets ? entry.actions.map(session.kind.redacted) : entry.actions
            return hasher.hash(actions, ifMatch: entry.ifMatch, from + index, of: client)
        }
    }

    /// One action, or several that are committed together.
    package struct Entry: Sendable {
        let actions: [JSONValue]
        /// The condition, as it came; nil for none.
        let ifMatch: String?
        /// The revisions at which it may be committed; nil for any.
        let expected: RevisionSet?

        package init(_ actions: [JSONValue], ifMatch: String?, _ expected: RevisionSet?) {
            self.actions = actions
            self.ifMatch = ifMatch
            self.expected = expected
        }

        /// As the body of a request.
        var json: JSONValue { actions.count == 1 ? actions[0] : .array(actions) }
    }
}

/// The answer to a ``SyncRequest``.
package struct SyncAnswer: Sendable {
    /// Names the client in events.
    package let mark: String
    /// The number of the last decided entry; 0 if none was ever decided.
    package let through: Int
    package let results: [Result]
    /// The time in seconds after which the entries that were not run can be sent again; nil if there are none.
    package let retryAfter: Int?
    package let request: SyncRequest

    package struct Result: Sendable {
        package let number: Int
        package let outcome: KeptOutcome
        /// Whether it was decided by an earlier request.
        package let isReplayed: Bool
    }
}
