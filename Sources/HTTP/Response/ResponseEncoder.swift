import Platform

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
    package init(answering head: borrowing RequestHead) {
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
    /// - Parameters:
    ///   - date: the current ``HTTPDate/bytes``.
    ///   - requestID: the value of X-Request-Id; empty for no such field.
    package func bytes(of response: Response, date: [UInt8], requestID: String = "") -> [UInt8] {
        guard sendsBody(of: response) else { return head(of: response, date: date, requestID: requestID) }
        var output = head(of: response, date: date, requestID: requestID, reserving: response.body.count)
        output.append(contentsOf: response.body)
        return output
    }

    /// Whether the body of a complete response follows its head.
    package func sendsBody(of response: Response) -> Bool { !isHead && !response.status.isAlwaysBodiless }

    /// Encodes the head of a complete response.
    ///
    /// - Parameter bodyBytes: the length of the body that the caller appends.
    package func head(
        of response: Response, date: [UInt8], requestID: String, reserving bodyBytes: Int = 0
    ) -> [UInt8] {
        let hasBody = !response.status.isAlwaysBodiless
        let capacity =
            maxHeadBytes(response.fields, date, requestID) + (response.revision?.history.utf8.count ?? 0)
        var output: [UInt8] = []
        output.reserveCapacity(capacity + bodyBytes)
        HeadWriter.append(upTo: capacity, to: &output) { head in
            writeFields(response.status, response.fields, date, requestID, into: &head)
            if let revision = response.revision {
                head.literal("ETag: \"")
                head.decimal(revision.revision)
                if !revision.history.isEmpty {
                    head.literal(".")
                    head.text(revision.history)
                }
                head.literal("\"\r\n")
            }
            if hasBody {
                head.literal("Content-Length: ")
                head.decimal(response.body.count)
                head.literal("\r\n")
            }
            writeConnection(into: &head)
        }
        return output
    }

    /// Appends the head of a response of unknown length. Chunks follow if ``streamIsChunked``, and plain bytes
    /// otherwise.
    package mutating func appendStreamHead(
        _ status: HTTPStatus, _ fields: [Response.Field], date: [UInt8], requestID: String = "",
        to output: inout [UInt8]
    ) {
        if version == .http10 { keepAlive = false }
        HeadWriter.append(upTo: maxHeadBytes(fields, date, requestID), to: &output) { head in
            writeFields(status, fields, date, requestID, into: &head)
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
    private func maxHeadBytes(_ fields: [Response.Field], _ date: [UInt8], _ requestID: String) -> Int {
        fields.reduce(256 + date.count + requestID.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    private func writeFields(
        _ status: HTTPStatus, _ fields: [Response.Field], _ date: [UInt8], _ requestID: String,
        into head: inout HeadWriter
    ) {
        if status == .ok {
            head.literal("HTTP/1.1 200 OK\r\nDate: ")
        } else {
            head.literal("HTTP/1.1 ")
            head.decimal(status.rawValue)
            head.literal(" ")
            head.text(status.reason)
            head.literal("\r\nDate: ")
        }
        date.withUnsafeBytes { head.bytes($0) }
        head.literal("\r\n")
        if !requestID.isEmpty {
            head.literal("X-Request-Id: ")
            head.text(requestID)
            head.literal("\r\n")
        }
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

/// Writes a response head into memory of sufficient size. An array would check its uniqueness and capacity at every
/// append.
struct HeadWriter {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    private var used = 0

    /// Appends the output of `write`, which must not exceed `capacity` bytes.
    static func append(upTo capacity: Int, to output: inout [UInt8], _ write: (inout HeadWriter) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { memory in
            guard let start = memory.baseAddress else { return }
            var writer = HeadWriter(start: start, capacity: capacity)
            write(&writer)
            output.append(contentsOf: UnsafeRawBufferPointer(start: start, count: writer.used))
        }
    }

    private init(start: UnsafeMutableRawPointer, capacity: Int) {
        self.start = start
        self.capacity = capacity
    }

    /// Inlined, because the length is constant and most literals compile to one or two stores.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        bytes(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        precondition(bytes.count <= capacity - used, "a response head exceeds its reserved size")
        (start + used).copyMemory(from: source, byteCount: bytes.count)
        used += bytes.count
    }

    mutating func text(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ bytes(UnsafeRawBufferPointer($0)) }) == nil { copiedText(text) }
    }

    /// Writes a text without contiguous storage. Not a part of the caller, which would retain every text for it.
    @inline(never)
    private mutating func copiedText(_ text: String) { Array(text.utf8).withUnsafeBytes { bytes($0) } }

    /// Replaces control characters except tab by spaces, so that the value cannot end its line.
    mutating func fieldValue(_ text: String) {
        var index = used
        self.text(text)
        let written = UnsafeMutableRawBufferPointer(start: start, count: used)
        while true {
            index = UnsafeRawBufferPointer(written).firstControl(from: index, to: used, below: ASCII.space)
            guard index < used else { return }
            if written[index] != ASCII.tab { written[index] = ASCII.space }
            index += 1
        }
    }

    /// - Parameter number: must not be negative.
    mutating func decimal(_ number: Int) {
        var (rest, digits, place) = (number.magnitude, UInt64(0), UInt64(0))
        // The last eight digits, the first of them in the lowest byte.
        repeat {
            let (quotient, last) = rest.quotientAndRemainder(dividingBy: 10)
            digits = digits << 8 | (UInt64(ASCII.zero) + UInt64(last))
            (rest, place) = (quotient, place + 1)
        } while rest > 0 && place < 8
        if rest > 0 { decimal(Int(rest)) }
        withUnsafeBytes(of: digits.littleEndian) { bytes(UnsafeRawBufferPointer(rebasing: $0[..<Int(place)])) }
    }
}

/// A date in the format IMF-fixdate (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package struct HTTPDate: Sendable, Hashable {
    /// The 29 bytes of the date.
    package let bytes: [UInt8]

    /// - Parameter unixTime: seconds since 1970-01-01T00:00:00Z, clamped to the years 0 to 9999.
    package init(unixTime: Int) {
        let date = CivilTime(unixTime: unixTime)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(29)
        bytes.append(contentsOf: "SunMonTueWedThuFriSat".utf8.dropFirst(date.weekday * 3).prefix(3))
        bytes.appendText(", ")
        bytes.appendPadded(date.day)
        bytes.append(ASCII.space)
        bytes.append(contentsOf: "JanFebMarAprMayJunJulAugSepOctNovDec".utf8.dropFirst((date.month - 1) * 3).prefix(3))
        bytes.append(ASCII.space)
        bytes.appendPadded(date.year / 100)
        bytes.appendPadded(date.year % 100)
        bytes.append(ASCII.space)
        bytes.appendPadded(date.hour)
        bytes.append(ASCII.colon)
        bytes.appendPadded(date.minute)
        bytes.append(ASCII.colon)
        bytes.appendPadded(date.second)
        bytes.appendText(" GMT")
        self.bytes = bytes
    }
}

extension [UInt8] {
    fileprivate mutating func appendPadded(_ number: Int) {
        if number < 10 { append(ASCII.zero) }
        appendDecimal(number)
    }
}
