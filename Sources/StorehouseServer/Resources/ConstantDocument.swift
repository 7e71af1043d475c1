import HTTP
import JSON
import StoreHosting

/// A document that is the same as long as the server runs, with an entity tag, which is a hash of its bytes: after a restart too, a
/// client that has it need not get it again.
struct ConstantDocument: Sendable {
    private let body: [UInt8]
    /// Without its quotes.
    private let tag: String

    init(_ body: [UInt8]) {
        self.body = body
        // 120 bits, which Base64 writes without padding.
        tag = Base64.encode(Array(SHA256.hash(body).prefix(15)))
    }

    /// The document; 304 for a client that has it.
    func response(to head: RequestHead) throws(Problem) -> Response {
        let fields: [Response.Field] = [.init("Cache-Control", "private, no-cache"), .init("ETag", "\"\(tag)\"")]
        if head.fields.contains("if-none-match"),
            let condition = try head.condition("if-none-match", "If-None-Match"), isNamed(by: condition)
        {
            return Response(.notModified, fields: fields)
        }
        return .document(body, fields: fields)
    }

    /// Weak tags count too (RFC 9110, section 13.1.2).
    private func isNamed(by condition: EntityTagCondition) -> Bool {
        switch condition {
        case .any: true
        case .tags(let tags): tags.contains { $0.opaque.utf8.elementsEqual(tag.utf8) }
        }
    }
}
