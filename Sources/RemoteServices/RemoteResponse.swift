public import JSON

/// The response of a remote service, complete and within the size limit.
public struct RemoteResponse: Sendable, Equatable {
    /// The status code (RFC 9110, 15).
    public var status: Int
    /// The media type of `body`, if the service named one.
    package var contentType: String?
    /// The header fields.
    public var headers: RemoteResponse.Headers
    /// The body, without transfer or content coding.
    public var body: [UInt8]

    /// A response, for clients and tests.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - contentType: the media type of `body`.
    ///   - headers: the header fields.
    ///   - body: the body.
    public init(status: Int, contentType: String? = nil, headers: RemoteResponse.Headers = [:], body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    /// A response with a JSON body, for demo services and tests.
    public static func json(_ value: JSONValue, status: Int = 200) -> RemoteResponse {
        RemoteResponse(status: status, contentType: "application/json", body: Array(value.description.utf8))
    }

    /// Whether the status is a success (RFC 9110, 15.3).
    public var isSuccess: Bool { (200...299).contains(status) }
}

extension RemoteResponse {
    /// Throws `bad-status`, with the status and the beginning of the body, unless the status is a success.
    public func requireSuccess() throws(RemoteFailure) {
        guard !isSuccess else { return }
        let start = body.prefix(RemoteFailure.Answer.maxBodyBytes)
        throw RemoteFailure(RemoteFailure.Answer(status: status, body: String(decoding: start, as: UTF8.self)))
    }

    /// The body as JSON.
    ///
    /// A response without a content type is read as JSON.
    ///
    /// - Throws: `bad-status` if the status is not a success, `bad-body` if the content type is not JSON or the body is not valid
    ///   JSON.
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

    /// A string in the JSON body.
    ///
    /// - Parameter pointer: the place of the string.
    /// - Throws: the errors of ``json()``, and `bad-body` if there is no string at that place.
    package func text(at pointer: JSONPointer) throws(RemoteFailure) -> String {
        guard let text = pointer.value(in: try json())?.asString else {
            throw RemoteFailure(.badBody, "the answer has no text at \(pointer)")
        }
        return text
    }

    /// A string in the JSON body.
    ///
    /// - Parameter names: the path of the string: names of members and indices of arrays.
    /// - Throws: the errors of ``json()``, and `bad-body` if there is no string at that place.
    public func text(at names: String...) throws(RemoteFailure) -> String {
        try text(at: JSONPointer(tokens: names))
    }

    /// Whether the type is `application/json` or ends in `+json` (RFC 6839, 3.1), with any parameters.
    private static func isJSON(_ contentType: String) -> Bool {
        let end = contentType.utf8.firstIndex(of: UInt8(ascii: ";")) ?? contentType.endIndex
        if contentType[..<end] == "application/json" { return true }
        let type = contentType[..<end].lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json") && type.contains("/")
    }
}

extension RemoteResponse {
    /// The status of a successful response, for a call that needs no more of it.
    public struct Status: Sendable, Hashable, Codable {
        /// The status code (RFC 9110, 15).
        public let code: Int

        /// A status.
        public init(code: Int) { self.code = code }

        public init(from decoder: any Decoder) throws { code = try decoder.singleValueContainer().decode(Int.self) }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(code)
        }
    }
}
