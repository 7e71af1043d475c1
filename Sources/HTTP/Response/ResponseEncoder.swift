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

    /// Makes an encoder of an answer to what never became a request. It closes.
    package init() {
        keepAlive = false
        isHead = false
        version = .http11
    }

    /// `100 Continue`, to be sent before the body is read where the head expects it.
    package static let continueBytes: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Appends a complete answer.
    ///
    /// - Parameter date: the moment as ``HTTPDate/bytes``.
    package func append(_ response: Response, date: [UInt8], to output: inout [UInt8]) {
        appendFields(response.status, response.fields, date: date, to: &output)
        if !response.status.isAlwaysBodiless {
            output.appendText("Content-Length: ")
            output.appendDecimal(response.body.count)
            output.appendText("\r\n")
        }
        appendConnection(to: &output)
        if !isHead, !response.status.isAlwaysBodiless { output.append(contentsOf: response.body) }
    }

    /// Appends the head of an answer whose length is not known yet; chunks or bytes follow, by ``appendPiece(_:to:)``.
    package mutating func appendStreamHead(
        _ status: HTTPStatus, _ fields: [Response.Field], date: [UInt8], to output: inout [UInt8]
    ) {
        if version == .http10 { keepAlive = false }
        appendFields(status, fields, date: date, to: &output)
        if version == .http11 { output.appendText("Transfer-Encoding: chunked\r\n") }
        appendConnection(to: &output)
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

    private func appendFields(
        _ status: HTTPStatus, _ fields: [Response.Field], date: [UInt8], to output: inout [UInt8]
    ) {
        if output.isEmpty { output.reserveCapacity(512) }
        output.appendText("HTTP/1.1 ")
        output.appendDecimal(status.rawValue)
        output.append(ASCII.space)
        output.appendText(status.reason)
        output.appendText("\r\nDate: ")
        output.append(contentsOf: date)
        output.appendText("\r\n")
        for field in fields {
            output.appendText(field.name)
            output.appendText(": ")
            output.appendFieldValue(field.value)
            output.appendText("\r\n")
        }
    }

    private func appendConnection(to output: inout [UInt8]) {
        if !keepAlive {
            output.appendText("Connection: close\r\n")
        } else if version == .http10 {
            output.appendText("Connection: keep-alive\r\n")
        }
        output.appendText("\r\n")
    }
}
