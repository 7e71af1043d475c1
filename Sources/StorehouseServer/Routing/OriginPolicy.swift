import HTTP
import JSON
import StoreHosting
import Stores

/// Which pages may use the server from a browser: those of its own origin, and those of `http.allowedOrigins`.
///
/// Pages of other origins may neither read responses (CORS; WHATWG Fetch, section 3.2) nor cause changes. A browser sends
/// some requests of any page without asking the server first, so requests that can change something are refused by their
/// Origin field.
struct OriginPolicy: Sendable {
    /// The origins as they are configured, which is how browsers send them.
    private let texts: Set<Subject>
    private let allowsAll: Bool
    private let origins: Set<WebOrigin>
    private let proxies: TrustedProxies
    /// A host has at most 253 bytes. A longer text is the origin of nobody.
    private static let maxBytes = 512

    /// - Parameters:
    ///   - allowedOrigins: `*` allows all.
    ///   - proxies: may state the host and the scheme that clients ask for.
    init(_ allowedOrigins: [String], behind proxies: TrustedProxies = TrustedProxies()) {
        texts = Set(allowedOrigins.map { Subject($0) })
        allowsAll = texts.contains("*")
        origins = Set(allowedOrigins.compactMap { WebOrigin($0.lowercased()) })
        self.proxies = proxies
    }

    /// Refuses a request that can change something if a page of a foreign origin sent it.
    ///
    /// - Parameter peer: the address at the other end of the connection.
    func requireKnownOrigin(_ head: RequestHead, peer: @autoclosure () -> IPAddress) throws(Problem) {
        switch head.method {
        case .get, .head, .options: return
        default: break
        }
        guard head.fields.contains("origin") else { return }
        let own = ownOrigins(head, peer)
        let isKnown = head.fields.values("origin").allSatisfy { text in
            allows(text) || origin(text).map(own.contains) == true
        }
        guard !isKnown else { return }
        throw Problem(.credentials(.origin))
    }

    /// The origins whose pages this server serves, by the host that the client asked for. The server itself has no TLS, so
    /// only a trusted proxy makes an origin with https its own.
    private func ownOrigins(_ head: RequestHead, _ peer: () -> IPAddress) -> [WebOrigin] {
        let statement = proxies.isEmpty ? nil : proxies.statement(of: peer(), head.fields)
        let schemes = statement.map { $0.scheme.map { [$0] } ?? ["http", "https"] } ?? ["http"]
        let hosts = [head.authority, statement?.host].compactMap(\.self)
        return schemes.flatMap { scheme in hosts.compactMap { WebOrigin(scheme: scheme, authority: $0) } }
    }

    private func allows(_ origin: String) -> Bool {
        guard origin.utf8.count <= Self.maxBytes else { return false }
        return allowsAll || texts.contains(Subject(origin)) || self.origin(origin).map(origins.contains) == true
    }

    private func origin(_ text: String) -> WebOrigin? { text.utf8.count <= Self.maxBytes ? WebOrigin(text) : nil }
}

// CORS.
extension OriginPolicy {
    /// The fields that let the page behind the request read the response.
    func fields(for head: RequestHead) -> [Response.Field] {
        texts.isEmpty ? [] : fields(for: head.fields.first("origin"))
    }

    /// The fields for a value of the Origin field.
    func fields(for origin: String?) -> [Response.Field] {
        guard !texts.isEmpty else { return [] }
        // A cache must not give one origin the response to another.
        let vary = Response.Field("Vary", "Origin")
        guard let origin, allows(origin) else { return [vary] }
        return [
            .init("Access-Control-Allow-Origin", origin), vary,
            .init(
                "Access-Control-Expose-Headers",
                "Allow, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, Retry-After, Storehouse-Outcome, "
                    + "X-Request-Id"),
        ]
    }

    /// The response to a preflight request; nil for any other request.
    ///
    /// - Parameter methods: those of the resource, as the Allow field lists them.
    func preflight(_ head: RequestHead, allow methods: String) -> Response? {
        guard head.method == .options, let origin = head.fields.first("origin"),
            head.fields.contains("access-control-request-method"), allows(origin)
        else { return nil }
        return Response(
            .noContent,
            fields: [
                .init("Allow", methods), .init("Access-Control-Allow-Methods", methods),
                .init(
                    "Access-Control-Allow-Headers",
                    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, "
                        + "X-Request-Id, traceparent, tracestate"
                ),
                .init("Access-Control-Max-Age", "600"),
            ])
    }
}
