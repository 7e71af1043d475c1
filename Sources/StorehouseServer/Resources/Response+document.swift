package import HTTP

extension Response {
    /// A JSON document with its revision, if it has one. It ends with a newline.
    package static func document(
        _ json: [UInt8], _ status: HTTPStatus = .ok, revision: RevisionTag? = nil, fields: [Field] = []
    ) -> Response {
        Response(
            status, fields: fields.isEmpty ? documentFields : documentFields + fields, revision: revision, body: json)
    }

    private static let documentFields = [
        Field("Content-Type", "application/json"), Field("X-Content-Type-Options", "nosniff"),
    ]
}
