/// The head of a response that another server has sent (RFC 9112, section 4).
package struct ResponseHead: Sendable {
    package let status: HTTPStatus
    package let fields: HTTPFields
    /// The length of the body; nil if the body ends with the connection. A response to HEAD may tell a length and has no body.
    package let contentLength: Int?
    /// Whether the connection stays open behind the response.
    package let keepAlive: Bool

    /// The fields that belong to the response itself, and not to the connection.
    ///
    /// - Parameter others: fields of the same names are left out.
    package func endToEndFields(besides others: [Response.Field] = []) -> [Response.Field] {
        var result: [Response.Field] = []
        // For others that the caller adds.
        result.reserveCapacity(fields.count + 2)
        fields.bytes.withUnsafeBytes { bytes in
            for line in fields.lines where !Self.namesOfConnection.contains(where: { bytes.hasText($0, in: line.name) })
            {
                let name = String(decoding: bytes[line.name], as: UTF8.self)
                if !others.isEmpty, others.contains(where: { $0.name.lowercased() == name.lowercased() }) { continue }
                result.append(Response.Field(name, String(decoding: bytes[line.value], as: UTF8.self)))
            }
        }
        return result
    }

    /// The encoder of the next response makes these itself.
    private static let namesOfConnection: [StaticString] = [
        "connection", "content-length", "date", "keep-alive", "storehouse-stream", "transfer-encoding", "x-request-id",
    ]
}

/// Parses the heads of responses of another Storehouse: it accepts what ``ResponseEncoder`` makes, and nothing that is ambiguous.
///
/// A body has a length, or ends with the connection. The chunked coding is refused: ask for streams with HTTP/1.0.
package struct ResponseParser: Sendable {
    package enum Step: Sendable {
        /// The head is incomplete. Pass all bytes again, with more.
        case needMore
        /// A complete head. The body starts behind the first `consumed` bytes.
        case head(ResponseHead, consumed: Int)
        /// This is no response that can be used. Close the connection.
        case failed
    }

    /// `HTTP/1.1 200 ` without the reason phrase.
    private static let statusLineBytes = 13
    private static let maxStatusLineBytes = 256

    private let maxHeaderBytes: Int

    /// - Parameter maxHeaderBytes: the limit for the fields of a response.
    package init(maxHeaderBytes: Int = 65_536) { self.maxHeaderBytes = maxHeaderBytes }

    package func parse(_ bytes: UnsafeRawBufferPointer) -> Step {
        guard let lineEnd = bytes.prefix(Self.maxStatusLineBytes).firstIndex(of: ASCII.lineFeed) else {
            return bytes.count < Self.maxStatusLineBytes ? .needMore : .failed
        }
        guard lineEnd > Self.statusLineBytes, bytes.hasText("http/1.1 ", in: 0..<9), bytes[12] == ASCII.space,
            bytes[lineEnd - 1] == ASCII.carriageReturn,
            let status = DecimalNumber.parse(bytes, 9..<12).flatMap(HTTPStatus.init), status.rawValue >= 200
        else { return .failed }
        var section = FieldSectionScanner(start: lineEnd + 1, maxBytes: maxHeaderBytes)
        do throws(RequestFailure) {
            guard let end = try section.scan(bytes) else { return .needMore }
            let fields = HTTPFields(
                bytes: [UInt8](UnsafeRawBufferPointer(rebasing: bytes[..<end])), lines: section.lines)
            guard let head = ResponseHead(status, fields) else { return .failed }
            return .head(head, consumed: end)
        } catch {
            return .failed
        }
    }
}

extension ResponseHead {
    /// Nil if the length of the body is not clear.
    fileprivate init?(_ status: HTTPStatus, _ fields: HTTPFields) {
        guard !fields.contains("transfer-encoding"), !fields.hasSeveral("content-length") else { return nil }
        let length = fields.first("content-length")
        contentLength = status.isAlwaysBodiless ? 0 : length.flatMap { DecimalNumber.parse($0.utf8) }
        if length != nil, contentLength == nil { return nil }
        keepAlive = contentLength != nil && !fields.first("connection", is: "close")
        self.status = status
        self.fields = fields
    }
}
