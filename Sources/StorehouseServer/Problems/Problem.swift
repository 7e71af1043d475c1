package import HTTP
import HTTPServer
import JSON
import StoreHosting

/// An error as a client reads it: problem details (RFC 9457) with a stable `code`.
package struct Problem: Error {
    /// The stable codes, each with its status and title.
    package enum Code: String, Sendable, CaseIterable {
        case malformedRequest = "malformed-request"
        case malformedJSON = "malformed-json"
        case malformedPointer = "malformed-pointer"
        case unauthorized, forbidden
        case internalAction = "internal-action"
        case identityRequired = "identity-required"
        case roleRequired = "role-required"
        case noSuchResource = "no-such-resource"
        case noSuchSession = "no-such-session"
        case noSuchStore = "no-such-store"
        case noSuchRevision = "no-such-revision"
        case noSuchShare = "no-such-share"
        case methodNotAllowed = "method-not-allowed"
        case notAcceptable = "not-acceptable"
        case unsupportedMediaType = "unsupported-media-type"
        case requestTimeout = "request-timeout"
        case actionRejected = "action-rejected"
        case idempotencyConflict = "idempotency-conflict"
        case clientForgotten = "client-forgotten"
        case sequenceConflict = "sequence-conflict"
        case sessionConflict = "session-conflict"
        case sessionEnded = "session-ended"
        case revisionGone = "revision-gone"
        case revisionMismatch = "revision-mismatch"
        case bodyTooLarge = "body-too-large"
        case uriTooLong = "uri-too-long"
        case expectationFailed = "expectation-failed"
        case misdirectedRequest = "misdirected-request"
        case unknownAction = "unknown-action"
        case invalidPayload = "invalid-payload"
        case idempotencyMismatch = "idempotency-mismatch"
        case rateLimited = "rate-limited"
        case tooManySessions = "too-many-sessions"
        case tooManyStreams = "too-many-streams"
        case tooManyViews = "too-many-views"
        case tooManyKeys = "too-many-keys"
        case tooManyShares = "too-many-shares"
        case tooManyClients = "too-many-clients"
        case headersTooLarge = "headers-too-large"
        case internalError = "internal-error"
        case notImplemented = "not-implemented"
        case overloaded, draining
        case storageUnavailable = "storage-unavailable"
        case outcomeUnknown = "outcome-unknown"
        case httpVersionNotSupported = "http-version-not-supported"
    }

    package let code: Code
    /// Tells a person the fault, and how to correct it.
    package let detail: String
    /// Members beyond those of the RFC.
    var members: [(String, JSONValue)] = []
    /// Fields of the response beyond the content type.
    var fields: [Response.Field] = []
    /// Whether its response must not tell whether there is a session, also not by its time; see ``RefusalTimes``.
    var hidesSession = false

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The problem with one more member.
    func with(_ name: String, _ value: JSONValue?) -> Problem {
        guard let value else { return self }
        var problem = self
        problem.members.append((name, value))
        return problem
    }

    /// The problem with one more field in its response.
    func with(_ field: Response.Field) -> Problem {
        var problem = self
        problem.fields.append(field)
        return problem
    }

    /// The problem with the time after which the request can succeed, in seconds.
    func retry(after seconds: Int) -> Problem { with(.init("Retry-After", String(seconds))) }

    /// The problem as a JSON object. The id of its request is added when it is sent, see ``Response/naming(_:)``.
    var body: [UInt8] { json.finish() }

    private var json: JSONWriter {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "urn:storehouse:problem:\(code.rawValue)")
            json.member("title", code.title)
            json.member("status", code.status.rawValue)
            json.member("detail", detail)
            json.member("code", code.rawValue)
            for (name, value) in members { json.member(name: name, value) }
        }
        return json
    }

    package var response: Response {
        var fields = fields
        // A browser must not guess another type, and a cache would keep a 404 or 410 by default (RFC 9110, 15.1).
        fields.append(.init("X-Content-Type-Options", "nosniff"))
        fields.append(.init("Cache-Control", "no-store"))
        let isTemporary = code.status == .tooManyRequests || code.status == .serviceUnavailable
        if isTemporary, !fields.contains(where: { $0.name == "Retry-After" }) {
            fields.append(.init("Retry-After", "1"))
        }
        var response = Response(
            code.status, contentType: "application/problem+json", fields: fields, body: body + [UInt8(ascii: "\n")])
        response.problemCode = code.rawValue
        return response
    }
}

extension Problem.Code {
    package var status: HTTPStatus {
        switch self {
        case .malformedRequest, .malformedJSON, .malformedPointer: .badRequest
        case .unauthorized: .unauthorized
        case .forbidden, .internalAction, .identityRequired, .roleRequired: .forbidden
        case .noSuchResource, .noSuchSession, .noSuchStore, .noSuchRevision, .noSuchShare: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .notAcceptable: .notAcceptable
        case .requestTimeout: .requestTimeout
        case .actionRejected, .idempotencyConflict, .clientForgotten, .sequenceConflict, .sessionConflict: .conflict
        case .sessionEnded, .revisionGone: .gone
        case .revisionMismatch: .preconditionFailed
        case .bodyTooLarge: .contentTooLarge
        case .uriTooLong: .uriTooLong
        case .unsupportedMediaType: .unsupportedMediaType
        case .expectationFailed: .expectationFailed
        case .misdirectedRequest: .misdirectedRequest
        case .unknownAction, .invalidPayload, .idempotencyMismatch: .unprocessableContent
        case .rateLimited, .tooManySessions, .tooManyStreams, .tooManyViews, .tooManyKeys, .tooManyShares,
            .tooManyClients:
            .tooManyRequests
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .notImplemented: .notImplemented
        case .internalError: .internalServerError
        case .overloaded, .draining, .storageUnavailable: .serviceUnavailable
        case .outcomeUnknown: .gatewayTimeout
        case .httpVersionNotSupported: .httpVersionNotSupported
        }
    }

    package var title: String {
        switch self {
        case .malformedRequest: "The request is malformed"
        case .malformedJSON: "The body is not JSON"
        case .malformedPointer: "The selection is not a JSON Pointer"
        case .unauthorized: "The token is missing or wrong"
        case .forbidden: "Not allowed"
        case .internalAction: "Only the server may dispatch this action"
        case .identityRequired: "Only a known client may dispatch this action"
        case .roleRequired: "Only a client with a certain role may dispatch this action"
        case .noSuchResource: "There is no such resource"
        case .noSuchSession: "There is no such session"
        case .noSuchStore: "There is no such store"
        case .noSuchRevision: "There is no such revision"
        case .noSuchShare: "There is no such share"
        case .methodNotAllowed: "The resource does not support the method"
        case .notAcceptable: "No representation is acceptable"
        case .unsupportedMediaType: "The body must be JSON"
        case .requestTimeout: "The request took too long to arrive"
        case .actionRejected: "The action was rejected"
        case .idempotencyConflict: "The first request with this key is still in progress"
        case .clientForgotten: "The session has no record of this client"
        case .sequenceConflict: "The number of an entry is taken"
        case .sessionConflict: "The session is of another store"
        case .sessionEnded: "The session has ended"
        case .revisionGone: "The revision is no longer stored"
        case .revisionMismatch: "The session is at another revision"
        case .bodyTooLarge: "The body is too large"
        case .uriTooLong: "The URI is too long"
        case .expectationFailed: "The expectation cannot be met"
        case .misdirectedRequest: "The server does not answer for this host"
        case .unknownAction: "There is no such action"
        case .invalidPayload: "The body does not match its schema"
        case .idempotencyMismatch: "The key belongs to another request"
        case .rateLimited: "There are too many requests"
        case .tooManySessions: "There are too many sessions"
        case .tooManyStreams, .tooManyViews, .tooManyKeys, .tooManyShares, .tooManyClients:
            "The session has too many \(limited)"
        case .headersTooLarge: "The header is too large"
        case .internalError: "The server has failed"
        case .notImplemented: "The server does not support this"
        case .overloaded: "The server is overloaded"
        case .draining: "The server is shutting down"
        case .storageUnavailable: "The storage is not available"
        case .outcomeUnknown: "It is not known whether this was done"
        case .httpVersionNotSupported: "The HTTP version is not supported"
        }
    }

    /// The things of which the session has too many.
    private var limited: String {
        switch self {
        case .tooManyStreams: "streams"
        case .tooManyViews: "views"
        case .tooManyKeys: "idempotency keys"
        case .tooManyShares: "shares"
        default: "clients"
        }
    }
}
