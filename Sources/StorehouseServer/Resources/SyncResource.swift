import HTTP
import HTTPServer
import JSON
import Security
import Sessions

/// `POST /sessions/{id}/sync`: sends the entries of an outbox.
final class SyncResource: Sendable {
    private let access: SessionAccess
    private let call: SessionCall

    init(_ access: SessionAccess) {
        self.access = access
        call = SessionCall(.act, parse: Self.request, respond: Self.response)
    }

    func post(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.answer(context, at: id, call)
    }

    private static func request(_ context: RequestContext) throws(Problem) -> SessionRequest {
        let head = context.request.head
        // Each entry has its own condition, and its number in the place of a key.
        if head.fields.contains("if-match") { throw Problem(.header(.unsupported("If-Match"))) }
        if head.fields.contains("idempotency-key") { throw Problem(.header(.unsupported("Idempotency-Key"))) }
        let json = try context.request.jsonOnLoop(upTo: maxHashedOnLoop)
        let sync = try Problem.of { () throws(SessionFailure) in
            try SyncRequest(
                context.request.body, json, trace: head.fields.contains("traceparent") ? head.fields.trace : nil,
                requestID: context.exchange.connection.requestID, parse: SyncBody.init)
        }
        return SessionRequest(.sync(sync), by: context.credentials)
    }

    /// The hash of an entry takes up to 0.1 µs for each byte, ten times as long as its parsing.
    private static let maxHashedOnLoop = 8192

    private static func response(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        guard case .synced(let answer) = result.content else { throw result.unexpected }
        let history = result.session.historyID
        var json = JSONWriter(reservingCapacity: 256 + 96 * answer.results.count)
        json.object { json in
            json.member("mark", answer.mark)
            json.member("revision", result.revision)
            json.member("history", history)
            json.member("through", answer.through)
            json.name("results")
            json.array { json in
                for result in answer.results { json.value(EntryAnswer(result, to: answer.request, history)) }
            }
            json.member("retryAfter", ifPresent: answer.retryAfter)
        }
        return .document(json.finishLine(), fields: [.init("Cache-Control", "no-store")])
    }
}

/// The outcome of one entry as a client reads it.
private struct EntryAnswer: JSONEncodable {
    private let result: SyncAnswer.Result
    private let request: SyncRequest
    private let history: String

    init(_ result: SyncAnswer.Result, to request: SyncRequest, _ history: String) {
        (self.result, self.request, self.history) = (result, request, history)
    }

    func encode(into json: inout JSONWriter) {
        let outcome = result.outcome
        json.object { json in
            json.member("n", result.number)
            json.member("outcome", outcome.decision.name)
            json.member("revision", outcome.revision)
            if result.isReplayed { json.member("replayed", true) }
            switch outcome.decision {
            case .committed(let effects): if !request.hidesEffects { json.member("effects", effects) }
            case .ignored: break
            case .rejected(let reason, let index):
                let cause = SessionFailure.Action.rejected(
                    reason: reason, index: index, revision: outcome.revision, history: history)
                json.member("problem", raw: problem(Problem(.action(cause)).body))
            case .mismatched:
                let cause = SessionFailure.Action.mismatch(revision: outcome.revision, history: history)
                json.member("problem", raw: problem(Problem(.action(cause)).body))
            case .refused(let body): json.member("problem", raw: problem(body))
            }
        }
    }

    /// The body of the response that a request with this entry alone would get.
    private func problem(_ body: [UInt8]) -> [UInt8] {
        body.dropLast() + Array(",\"requestId\":\"\(request.requestID)\"}".utf8)
    }
}

extension KeptOutcome.Decision {
    /// The word for it in answers.
    fileprivate var name: String {
        switch self {
        case .committed: "committed"
        case .ignored: "ignored"
        case .rejected: "rejected"
        case .mismatched: "mismatched"
        case .refused: "refused"
        }
    }
}
