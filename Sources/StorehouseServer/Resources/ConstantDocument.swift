import HTTP
import JSON
import StoreHosting

/// A document that is the same as long as the server runs, with an entity tag, which is a hash of its bytes: after a restart too, a
/// client that has it need not get it again.
struct ConstantDocument: Sendable {
    private let body: [UInt8]
    private let fields: [Response.Field]
    /// Without its quotes.
    private let tag: String

    init(_ body: [UInt8], fields: [Response.Field] = .ofDocument) {
        self.body = body
        self.fields = fields
        // 120 bits, which Base64 writes without padding.
        tag = Base64.encode(Array(SHA256.hash(body).prefix(15)))
    }

    /// The document; 304 for a client that has it.
    ///
    /// - Parameter caching: how it may be kept.
    func response(
        to head: RequestHead, _ caching: [Response.Field] = [.init("Cache-Control", "private, no-cache")]
    ) throws(Problem) -> Response {
        let caching = caching + [.init("ETag", "\"\(tag)\"")]
        if head.fields.contains("if-none-match"),
            let condition = try head.condition("if-none-match", "If-None-Match"), isNamed(by: condition)
        {
            return Response(.notModified, fields: caching)
        }
        return Response(.ok, fields: fields + caching, body: body)
    }

    /// Weak tags count too (RFC 9110, section 13.1.2).
    private func isNamed(by condition: EntityTagCondition) -> Bool {
        switch condition {
        case .any: true
        case .tags(let tags): tags.contains { $0.opaque.utf8.elementsEqual(tag.utf8) }
        }
    }
}
