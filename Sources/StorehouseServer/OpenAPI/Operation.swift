import HTTP
import JSON

/// The description of one method of a route.
struct Operation {
    /// A response that is no problem document.
    struct Response {
        let status: HTTPStatus
        let description: String
        var headers: [String] = []
        /// The media type with its schema and examples; nil if there is no body.
        var content: (type: String, json: JSONValue)?
        /// Another media type that clients can ask for, and its schema.
        var alternative: (type: String, json: JSONValue)?
        /// The operations that can be called with values of this response.
        var links: JSONValue?
    }

    let id: String
    let summary: String
    var details: String?
    var parameters: [String] = []
    /// The component of the request body; nil if there is none.
    var body: String?
    let responses: [Response]
    /// The problems of this operation, besides those of all requests.
    var problems: [Problem.Code] = []
    /// The names of the security schemes of which it requires one; none if it is open.
    private var schemes: [String] = []

    init(
        _ id: String, _ summary: String, details: String? = nil, parameters: [String] = [], body: String? = nil,
        responses: [Response], problems: [Problem.Code] = []
    ) {
        self.id = id
        self.summary = summary
        self.details = details
        self.parameters = parameters
        self.body = body
        self.responses = responses
        self.problems = problems
    }

    /// A copy with the credentials that it requires, and the problems that follow.
    func secured(by rule: AccessRule?, _ usesTokens: Bool) -> Operation {
        var operation = self
        switch rule {
        case .operators?:
            operation.schemes = usesTokens ? ["admin", "token"] : ["admin"]
            operation.problems += usesTokens ? [.unauthorized, .forbidden] : [.unauthorized]
        case .authenticated? where usesTokens:
            operation.schemes = ["token"]
            operation.problems += [.unauthorized]
        case .permission? where usesTokens:
            operation.schemes = ["token"]
            operation.problems += [.unauthorized, .forbidden]
        case .open?, .authenticated?, .permission?, .holder?, nil: break
        }
        return operation
    }

    /// - Parameter tag: the name of its group.
    func json(tag: String) -> JSONValue {
        var json: JSONObject = [
            "operationId": .string(id), "tags": [.string(tag)], "summary": .string(summary),
        ]
        json["description"] = details.map(JSONValue.string)
        if !parameters.isEmpty { json["parameters"] = .array(parameters.map { .reference("parameters", $0) }) }
        json["requestBody"] = body.map { .reference("requestBodies", $0) }
        json["responses"] = .object(responsesByStatus)
        if !schemes.isEmpty {
            json["security"] = .array(schemes.map { .object(JSONObject([($0, .array([]))])) })
        }
        return .object(json)
    }

    private var responsesByStatus: JSONObject {
        var byStatus = JSONObject(responses.map { ("\($0.status.rawValue)", $0.json) })
        let possible = problems + Problem.Code.ofAnyRequest
        let codes = Dictionary(grouping: Problem.Code.allCases.filter(possible.contains), by: \.status)
        for (status, codes) in codes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            byStatus["\(status.rawValue)"] = problem("Problem\(status.rawValue)", OpenAPI.listing(codes))
        }
        byStatus["default"] = problem("Problem", "Any other problem.")
        return byStatus
    }

    private func problem(_ name: String, _ description: String) -> JSONValue {
        ["$ref": .string("#/components/responses/\(name)"), "description": .string(description)]
    }
}

extension Operation.Response {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["description": .string(description)]
        json["headers"] = .object(JSONObject((headers + ["X-Request-Id"]).map { ($0, .reference("headers", $0)) }))
        let types = [content, alternative].compactMap(\.self)
        if !types.isEmpty { json["content"] = .object(JSONObject(types.map { ($0.type, $0.json) })) }
        json["links"] = links
        return .object(json)
    }
}

extension Problem.Code {
    /// Problems that are found before a request is routed.
    static let ofAnyRequest: [Problem.Code] = [
        .malformedRequest, .requestTimeout, .bodyTooLarge, .uriTooLong, .expectationFailed, .headersTooLarge,
        .misdirectedRequest, .rateLimited, .notImplemented, .httpVersionNotSupported,
    ]
}
