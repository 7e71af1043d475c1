import HTTP
import StoreHosting

/// The client for browsers, as one ES module: at `/client.js`, which is asked for again, and below a name with its hash, which never
/// changes. Pages of every origin may import it.
struct ClientModule: Sendable {
    /// One for the process, because a hash takes time.
    private static let document = ConstantDocument(
        PackageResources.storehouse_js,
        fields: [
            .init("Content-Type", "text/javascript; charset=utf-8"), .init("X-Content-Type-Options", "nosniff"),
            .init("Access-Control-Allow-Origin", "*"), .init("Cross-Origin-Resource-Policy", "cross-origin"),
        ])
    /// The name with the hash.
    private static let name: String = {
        let hash = SHA256.hash(PackageResources.storehouse_js).prefix(8)
        return "client-" + hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + ".js"
    }()

    let basePath: String

    /// - Parameter segment: the last one of the path.
    func response(at segment: PathSegment, to head: RequestHead) throws(Problem) -> Response {
        if segment == "client.js" {
            let named = basePath + "/" + Self.name
            return try Self.document.response(
                to: head, [.init("Cache-Control", "no-cache"), .init("Content-Location", named)])
        }
        // Each release has another one.
        guard segment.decoded.elementsEqual(Self.name.utf8) else { throw Problem(.path(.unknown)) }
        return try Self.document.response(to: head, [.init("Cache-Control", "public, max-age=31536000, immutable")])
    }
}
