import HTTP
import StoreHosting
import Stores

/// Cross-origin resource sharing (WHATWG Fetch, section 3.2): pages of these origins may use the server from a browser. None
/// by default.
struct CORS: Sendable {
    private let origins: Set<String>

    init(_ allowedOrigins: [String]) { origins = Set(allowedOrigins) }

    /// The fields that let the page behind the request read the response.
    func fields(for head: RequestHead) -> [Response.Field] {
        origins.isEmpty ? [] : fields(for: head.fields.first("origin"))
    }

    /// The same by the value of the Origin field.
    func fields(for origin: String?) -> [Response.Field] {
        guard !origins.isEmpty else { return [] }
        // A cache must not give one origin the response to another.
        let vary = Response.Field("Vary", "Origin")
        guard let origin, allows(origin) else { return [vary] }
        return [
            .init("Access-Control-Allow-Origin", origin), vary,
            .init(
                "Access-Control-Expose-Headers",
                "Allow, ETag, Idempotency-Replayed, Location, Preference-Applied, Retry-After"),
        ]
    }

    /// The response to a preflight request; nil for any other request.
    func preflight(_ head: RequestHead, _ route: Route) -> Response? {
        guard head.method == .options, let origin = head.fields.first("origin"),
            head.fields.contains("access-control-request-method"), allows(origin)
        else { return nil }
        return Response(
            .noContent,
            fields: [
                .init("Allow", route.allow), .init("Access-Control-Allow-Methods", route.allow),
                .init(
                    "Access-Control-Allow-Headers",
                    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer"
                ),
                .init("Access-Control-Max-Age", "600"),
            ])
    }

    private func allows(_ origin: String) -> Bool { origins.contains(origin) || origins.contains("*") }
}
