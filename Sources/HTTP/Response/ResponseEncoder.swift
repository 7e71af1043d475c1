/// Encodes the response to one request. The request's method and version, and whether the connection stays open,
/// determine the framing (RFC 9112, sections 6.3 and 9.3).
///
/// The encoder adds the fields for framing and connection. A response must not contain them.
package struct ResponseEncoder: Sendable {
    /// Whether the connection stays open after the response. The server sets this to false to close the connection. A
    /// stream to an HTTP/1.0 client sets it to false, because only the close ends the stream.
    package var keepAlive: Bool
    private let isHead: Bool
    private let version: HTTPVersion

    /// An encoder for the response to a request.
    package init(answering head: RequestHead) {
        keepAlive = head.keepAlive
        isHead = head.method == .head
        version = head.version
    }

    /// An encoder for the response to an invalid request. It closes the connection unless the failure is recoverable.
    package init(answering failure: RequestFailure) {
        keepAlive = failure.consumed != nil
        isHead = failure.method == .head
        version = .http11
    }

    /// `100 Continue`, to be sent before the body is read if the request expects it.
    package static let continueBytes: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Encodes a complete response.
    ///
    /// - Parameter date: the current ``HTTPDate/bytes``.
    package func bytes(of response: Response, date: [UInt8]) -> [UInt8] {
        let hasBody = !response.status.isAlwaysBodiless
        let body = hasBody && !isHead ? response.body : []
        let capacity = Self.maxHeadBytes(response.fields, date)
        var output: [UInt8] = []
        output.reserveCapacity(capacity + body.count)
        HeadWriter.append(upTo: capacity, to: &output) { head in
            writeFields(response.status, response.fields, date, into: &head)
            if let revision = response.revision {
                head.literal("ETag: \"")
                head.decimal(revision)
                head.literal("\"\r\n")
            }
            if hasBody {
                head.literal("Content-Length: ")
                head.decimal(response.body.count)
                head.literal("\r\n")
            }
            writeConnection(into: &head)
        }
        output.append(contentsOf: body)
        return output
    }

    /// Appends the head of a response of unknown length. Chunks follow if ``streamIsChunked``, and plain bytes
    /// otherwise.
    package mutating func appendStreamHead(
        _ status: HTTPStatus, _ fields: [Response.Field], date: [UInt8], to output: inout [UInt8]
    ) {
        if version == .http10 { keepAlive = false }
        HeadWriter.append(upTo: Self.maxHeadBytes(fields, date), to: &output) { head in
            writeFields(status, fields, date, into: &head)
            if streamIsChunked { head.literal("Transfer-Encoding: chunked\r\n") }
            writeConnection(into: &head)
        }
    }

    /// Whether a stream uses the chunked coding. If not, its bytes are sent as they are, and the close ends it.
    package var streamIsChunked: Bool { version == .http11 }

    /// Appends the end of a stream.
    package func appendStreamEnd(to output: inout [UInt8]) {
        if streamIsChunked { output.append(contentsOf: ChunkedCoding.end) }
    }

    /// An upper bound of the size of a head. The lines that every head has are shorter than 256 bytes in total.
    private static func maxHeadBytes(_ fields: [Response.Field], _ date: [UInt8]) -> Int {
        fields.reduce(256 + date.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    private func writeFields(
        _ status: HTTPStatus, _ fields: [Response.Field], _ date: [UInt8], into head: inout HeadWriter
    ) {
        head.literal("HTTP/1.1 ")
        head.decimal(status.rawValue)
        head.literal(" ")
        head.text(status.reason)
        head.literal("\r\nDate: ")
        date.withUnsafeBytes { head.bytes($0) }
        head.literal("\r\n")
        for field in fields {
            head.text(field.name)
            head.literal(": ")
            head.fieldValue(field.value)
            head.literal("\r\n")
        }
    }

    private func writeConnection(into head: inout HeadWriter) {
        if !keepAlive {
            head.literal("Connection: close\r\n")
        } else if version == .http10 {
            head.literal("Connection: keep-alive\r\n")
        }
        head.literal("\r\n")
    }
}
