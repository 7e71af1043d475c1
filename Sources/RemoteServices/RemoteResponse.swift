public import JSON

/// What a remote service answered, whole and within the size limit.
public struct RemoteResponse: Sendable, Equatable {
    /// The status code (RFC 9110, 15).
    public var status: Int
    /// The media type of `body`, where the service named one.
    public var contentType: String?
    /// The header fields.
    public var headers: RemoteHeaders
    /// The bytes, without transfer or content coding.
    public var body: [UInt8]

    /// An answer, as an adapter or a test makes it.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - contentType: the media type of `body`.
    ///   - headers: the header fields.
    ///   - body: the bytes.
    public init(status: Int, contentType: String? = nil, headers: RemoteHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    /// Whether the status says that the request was done (RFC 9110, 15.3).
    public var isSuccess: Bool { (200...299).contains(status) }
}

// What it says, judged before it is believed.
extension RemoteResponse {
    /// Fails where the status says that the request was not done.
    public func requireSuccess() throws(RemoteFailure) {
        guard isSuccess else { throw RemoteFailure(.badStatus, "the answer has the status \(status)") }
    }

    /// The body as JSON.
    ///
    /// - Throws: `bad-status` where the request was not done, `bad-body` where the content type is another, or the body is
    ///   not JSON to the letter. An answer that names no type is read as JSON.
    public func json() throws(RemoteFailure) -> JSONValue {
        try requireSuccess()
        if let contentType, !Self.isJSON(contentType) {
            throw RemoteFailure(.badBody, "the answer's content type is not JSON")
        }
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: body)
        } catch {
            throw RemoteFailure(.badBody, "the answer is not JSON")
        }
    }

    /// A text in the body.
    ///
    /// - Parameter pointer: where it stands.
    /// - Throws: what ``json()`` throws, and `bad-body` where there is no text at that place.
    public func text(at pointer: JSONPointer) throws(RemoteFailure) -> String {
        guard let text = pointer.value(in: try json())?.asString else {
            throw RemoteFailure(.badBody, "the answer has no text at \(pointer)")
        }
        return text
    }

    /// A text in the body.
    ///
    /// - Parameter names: the members, and the places in arrays, that lead to it.
    /// - Throws: what ``json()`` throws, and `bad-body` where there is no text at that place.
    public func text(at names: String...) throws(RemoteFailure) -> String {
        try text(at: JSONPointer(tokens: names))
    }

    /// `application/json`, or a type that ends in `+json` (RFC 6839, 3.1), whatever its parameters.
    private static func isJSON(_ contentType: String) -> Bool {
        let end = contentType.firstIndex(of: ";") ?? contentType.endIndex
        let type = contentType[..<end].lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json") && type.contains("/")
    }
}
