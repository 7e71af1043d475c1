import HTTP
import StoreHosting

/// The client for browsers, as one ES module: at `/client.js`, which is asked for again, and below a name with its hash, which never
/// changes. Pages of every origin may import it.
struct ClientModule: Sendable {
    private let document = ConstantDocument(
        PackageResources.storehouse_js,
        fields: [
            .init("Content-Type", "text/javascript; charset=utf-8"), .init("X-Content-Type-Options", "nosniff"),
            .init("Access-Control-Allow-Origin", "*"), .init("Cross-Origin-Resource-Policy", "cross-origin"),
        ])
    /// The name with the hash.
    private let name: String
    private let path: String

    init(basePath: String) {
        let hash = SHA256.hash(PackageResources.storehouse_js).prefix(8)
        name = "client-" + hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + ".js"
        path = basePath + "/" + name
    }

    /// - Parameter segment: the last one of the path.
    func response(at segment: PathSegment, to head: RequestHead) throws(Problem) -> Response {
        if segment == "client.js" {
            return try document.response(
                to: head, [.init("Cache-Control", "no-cache"), .init("Content-Location", path)])
        }
        // Each release has another one.
        guard segment.decoded.elementsEqual(name.utf8) else { throw Problem(.path(.unknown)) }
        return try document.response(to: head, [.init("Cache-Control", "public, max-age=31536000, immutable")])
    }
}
