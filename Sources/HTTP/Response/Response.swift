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
    /// The fields but Date, Content-Length, Transfer-Encoding and Connection, which the encoder adds.
    package var fields: [Field]
    package var body: [UInt8]

    package init(_ status: HTTPStatus, fields: [Field] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
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
