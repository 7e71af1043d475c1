package import HTTP
import Sessions

extension Response {
    /// A JSON document with its revision, if it has one. It ends with a newline.
    package static func document(
        _ json: [UInt8], _ status: HTTPStatus = .ok, revision: RevisionTag? = nil, fields: [Field] = []
    ) -> Response {
        Response(status, fields: fields.isEmpty ? .ofDocument : .ofDocument + fields, revision: revision, body: json)
    }
}

extension [Response.Field] {
    /// The fields of every JSON document.
    static let ofDocument = [
        Response.Field("Content-Type", "application/json"), Response.Field("X-Content-Type-Options", "nosniff"),
    ]
}

extension SessionResult {
    /// The revision that it shows, for whoever it shows it to.
    var tag: RevisionTag {
        reader.map { RevisionTag(revision, of: session.history(of: $0)) } ?? session.tag(revision)
    }
}

extension Session {
    /// A revision of this session as entity tags name it.
    func tag(_ revision: Int) -> RevisionTag { RevisionTag(revision, of: historyID) }
}
