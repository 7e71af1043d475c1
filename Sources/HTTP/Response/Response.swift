/// A response with a complete body.
package struct Response: Sendable, Hashable {
    /// A response header field. The encoder replaces invalid bytes of the value by spaces.
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package var status: HTTPStatus
    /// All fields except Date, ETag, Content-Length, Transfer-Encoding and Connection, which the encoder adds.
    package var fields: [Field]
    /// The revision for the ETag field; nil for no such field. It is separate from the fields because it differs in
    /// nearly every response, while the fields can be shared.
    package var revision: Int?
    package var body: [UInt8]

    package init(_ status: HTTPStatus, fields: [Field] = [], revision: Int? = nil, body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.revision = revision
        self.body = body
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

    /// Appends one chunk. Appends nothing for no bytes, because an empty chunk would end the body.
    package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output.appendHexadecimal(bytes.count)
        output.appendText("\r\n")
        output.append(contentsOf: bytes)
        output.appendText("\r\n")
    }
}
