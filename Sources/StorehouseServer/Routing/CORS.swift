import HTTP
import StoreHosting
import Stores

/// Which pages of other origins may use the server from a browser (WHATWG Fetch, section 3.2). None by default.
struct CORS: Sendable {
    private let origins: Set<String>

    init(_ allowedOrigins: [String]) { origins = Set(allowedOrigins) }

    /// The fields that an answer needs, so that the page behind the request may read it.
    func fields(for head: RequestHead) -> [Response.Field] {
        origins.isEmpty ? [] : fields(for: head.fields.first("origin"))
    }

    /// The same by the value of the Origin field.
    func fields(for origin: String?) -> [Response.Field] {
        guard !origins.isEmpty else { return [] }
        // Caches must not give one origin what was made for another.
        let vary = Response.Field("Vary", "Origin")
        guard let origin, allows(origin) else { return [vary] }
        return [
            .init("Access-Control-Allow-Origin", origin), vary,
            .init(
                "Access-Control-Expose-Headers",
                "Allow, ETag, Idempotency-Replayed, Location, Preference-Applied, Retry-After"),
        ]
    }

    /// The answer to a browser that asks whether it may send a request; nil where this is no such question.
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
