/// Writes answers to one request: it knows the request's method and version, and whether the connection is kept, and
/// frames by them (RFC 9112, sections 6.3 and 9.3).
///
/// The fields that belong to framing and connection are its own business: an answer never names them itself.
package struct ResponseEncoder: Sendable {
    /// Whether the connection stays open after the answer. The server sets it to false to close; a stream to an
    /// HTTP/1.0 client does, since only the close ends it.
    package var keepAlive: Bool
    private let isHead: Bool
    private let version: HTTPVersion

    /// Makes an encoder of the answer to a request.
    package init(answering head: RequestHead) {
        keepAlive = head.keepAlive
        isHead = head.method == .head
        version = head.version
    }

    /// Makes an encoder of the answer to what was no request. It closes where the failure says so.
    package init(answering failure: RequestFailure) {
        keepAlive = failure.consumed != nil
        isHead = failure.method == .head
        version = .http11
    }

    /// `100 Continue`, to be sent before the body is read where the head expects it.
    package static let continueBytes: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// A complete answer.
    ///
    /// - Parameter date: the moment as ``HTTPDate/bytes``.
    package func bytes(of response: Response, date: [UInt8]) -> [UInt8] {
        let hasBody = !response.status.isAlwaysBodiless
        let body = hasBody && !isHead ? response.body : []
        let most = Self.mostBytes(of: response.fields, date)
        var answer: [UInt8] = []
        answer.reserveCapacity(most + body.count)
        HeadWriter.append(atMost: most, to: &answer) { head in
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
        answer.append(contentsOf: body)
        return answer
    }

    /// Appends the head of an answer whose length is not known yet; chunks or bytes follow, by ``appendPiece(_:to:)``.
    package mutating func appendStreamHead(
        _ status: HTTPStatus, _ fields: [Response.Field], date: [UInt8], to output: inout [UInt8]
    ) {
        if version == .http10 { keepAlive = false }
        HeadWriter.append(atMost: Self.mostBytes(of: fields, date), to: &output) { head in
            writeFields(status, fields, date, into: &head)
            if streamIsChunked { head.literal("Transfer-Encoding: chunked\r\n") }
            writeConnection(into: &head)
        }
    }

    /// Whether the pieces of a stream are chunks; else they are sent as they are, until the close.
    package var streamIsChunked: Bool { version == .http11 }

    /// Appends one piece of a stream.
    package func appendPiece(_ bytes: [UInt8], to output: inout [UInt8]) {
        if streamIsChunked { ChunkedCoding.append(bytes, to: &output) } else { output.append(contentsOf: bytes) }
    }

    /// Appends the end of a stream.
    package func appendStreamEnd(to output: inout [UInt8]) {
        if streamIsChunked { output.append(contentsOf: ChunkedCoding.end) }
    }

    /// How many bytes a head has at most: the lines that all heads have are shorter than 256 together.
    private static func mostBytes(of fields: [Response.Field], _ date: [UInt8]) -> Int {
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
