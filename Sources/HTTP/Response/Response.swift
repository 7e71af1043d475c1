/// A response with a complete body.
@usableFromInline
package struct Response: Sendable, Hashable {
    /// A response header field. The encoder replaces invalid bytes of the value by spaces.
    @usableFromInline
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    @usableFromInline package var status: HTTPStatus
    /// All fields except Date, X-Request-Id, ETag, Content-Length, Transfer-Encoding and Connection, which the encoder
    /// adds.
    @usableFromInline package var fields: [Field]
    /// The revision for the ETag field; nil for no such field. It is separate from the fields because it differs in
    /// nearly every response, while the fields can be shared.
    @usableFromInline package var revision: RevisionTag?
    @usableFromInline package var body: [UInt8]
    /// The stable code of the error that the response reports, for logs and metrics. It is not sent by itself.
    @usableFromInline package var problemCode: String?
}

extension Response {
    // An extension, so that the members are set by the implicit initializer: it copies none of them.
    package init(_ status: HTTPStatus, fields: [Field] = [], revision: RevisionTag? = nil, body: [UInt8] = []) {
        self.init(status: status, fields: fields, revision: revision, body: body, problemCode: nil)
    }

    /// A response with a body of this media type.
    package init(_ status: HTTPStatus, contentType: String, fields: [Field] = [], body: [UInt8]) {
        self.init(status, body: body)
        self.fields.reserveCapacity(fields.count + 1)
        self.fields.append(Field("Content-Type", contentType))
        self.fields.append(contentsOf: fields)
    }

    /// The value of the first field of this name, which is case-insensitive.
    package subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The chunked transfer coding (RFC 9112, section 7.1). All HTTP/1.1 clients get the same chunk, so an event for
/// several clients is framed once.
package enum ChunkedCoding {
    /// The last chunk and an empty trailer section.
    package static let end: [UInt8] = Array("0\r\n\r\n".utf8)

    /// The line before the bytes of a chunk. It must not have the length 0, because such a chunk would end the body.
    package static func start(of byteCount: Int) -> [UInt8] {
        var line: [UInt8] = []
        line.appendHexadecimal(byteCount)
        line.append(contentsOf: lineEnd)
        return line
    }

    /// The end of a chunk, behind its bytes.
    package static let lineEnd: [UInt8] = Array("\r\n".utf8)

    /// Appends one chunk. Appends nothing for no bytes, because an empty chunk would end the body.
    package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
        bytes.withUnsafeBytes { append($0, to: &output) }
    }

    /// One chunk, and where its bytes are in it; nothing for no bytes.
    package static func framed(_ bytes: UnsafeRawBufferPointer) -> (chunk: [UInt8], payload: Range<Int>) {
        if bytes.isEmpty { return ([], 0..<0) }
        var chunk: [UInt8] = []
        chunk.reserveCapacity(bytes.count + 16)
        append(bytes, to: &chunk)
        let end = chunk.count - lineEnd.count
        return (chunk, end - bytes.count..<end)
    }

    package static func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output.appendHexadecimal(bytes.count)
        output.appendText("\r\n")
        output.append(contentsOf: bytes)
        output.appendText("\r\n")
    }
}
