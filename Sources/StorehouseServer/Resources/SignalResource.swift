import HTTP
import HTTPServer
import JSON
import Security
import Sessions
import StoreHosting

/// `POST /sessions/{id}/signals`: sends a message to those who watch the session now.
final class SignalResource: Sendable {
    private let access: SessionAccess
    private let call: SessionCall

    init(_ access: SessionAccess, _ limit: SignalLimit) {
        self.access = access
        call = SessionCall(.act) { context throws(Problem) in
            SessionRequest(.perform(try Self.signal(context, limit)), by: context.credentials)
        } respond: { _, _ in
            Response(.noContent)
        }
    }

    func send(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try access.answer(context, at: id, call)
    }

    private static func signal(_ context: RequestContext, _ limit: SignalLimit) throws(Problem) -> Signal {
        guard context.request.body.count <= Signal.maxBytes else {
            throw Problem(.body(.tooLong(limit: Signal.maxBytes)))
        }
        let body = try context.request.json()
        let violations = RequestSchemas.signal.validate(body)
        guard violations.isEmpty, let type = body["type"]?.asString else {
            throw Problem(.invalid(violations, .signal))
        }
        let wrong = PlainTexts.violations(of: body, at: [JSONPointer(tokens: ["type"])])
        guard wrong.isEmpty else { throw Problem(.invalid(wrong, .signal)) }
        return Signal(type, (body["payload"] ?? .null).encoded(), by: context.credentials, within: limit)
    }
}
