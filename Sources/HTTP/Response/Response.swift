/// An answer with a complete body.
package struct Response: Sendable, Hashable {
    /// A field of an answer. Bytes of the value that no field value may have are sent as spaces.
    package struct Field: Sendable, Hashable {
        /// The name, as it is sent.
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package var status: HTTPStatus
    /// The fields but Date, ETag, Content-Length, Transfer-Encoding and Connection, which the encoder adds.
    package var fields: [Field]
    /// The revision that is sent as the answer's entity tag, if it has one. It stands apart from the fields because it is
    /// another one in nearly every answer, while the fields are the same.
    package var revision: Int?
    package var body: [UInt8]

    package init(_ status: HTTPStatus, fields: [Field] = [], revision: Int? = nil, body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.revision = revision
        self.body = body
    }

    /// An answer with a body of this media type.
    package init(_ status: HTTPStatus, contentType: String, fields: [Field] = [], body: [UInt8]) {
        self.init(status, body: body)
        self.fields.reserveCapacity(fields.count + 1)
        self.fields.append(Field("Content-Type", contentType))
        self.fields.append(contentsOf: fields)
    }

    /// The value of the first field of this name, compared without case.
    package subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The chunked coding of what is sent (RFC 9112, section 7.1). The same chunk fits every 1.1 client, so an event that
/// goes to many is framed once.
package enum ChunkedCoding {
    /// The last chunk and an empty trailer section.
    package static let end: [UInt8] = Array("0\r\n\r\n".utf8)

    /// Appends one chunk. No bytes make no chunk: an empty one would end the body.
    package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output.appendHexadecimal(bytes.count)
        output.appendText("\r\n")
        output.append(contentsOf: bytes)
        output.appendText("\r\n")
    }
}
