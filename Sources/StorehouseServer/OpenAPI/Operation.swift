import HTTP
import JSON

/// One method of a route as the OpenAPI document describes it.
struct Operation {
    /// An answer that is no problem.
    struct Answer {
        let status: HTTPStatus
        let description: String
        var headers: [String] = []
        /// The media type with its schema and examples; nil where there is no body.
        var content: (type: String, json: JSONValue)?
        /// Another media type that may be had, and its schema.
        var alternative: (type: String, json: JSONValue)?
        /// What can be done next, with what stands in this answer.
        var links: JSONValue?
    }

    let id: String
    let summary: String
    var details: String?
    var parameters: [String] = []
    /// The component that describes the body, where there is one.
    var body: String?
    let answers: [Answer]
    /// What can go wrong, apart from what can with any request.
    var problems: [Problem.Code] = []
    /// Whether it needs the admin token.
    var isForAdmins = false
    private var isHead = false

    init(
        _ id: String, _ summary: String, details: String? = nil, parameters: [String] = [], body: String? = nil,
        answers: [Answer], problems: [Problem.Code] = []
    ) {
        self.id = id
        self.summary = summary
        self.details = details
        self.parameters = parameters
        self.body = body
        self.answers = answers
        self.problems = problems
    }

    /// The same for HEAD: no answer has a body.
    var head: Operation {
        var operation = Operation(
            id + "Head", summary + " (the head alone)", parameters: parameters, answers: answers, problems: problems)
        operation.isHead = true
        operation.isForAdmins = isForAdmins
        return operation
    }

    var json: JSONValue {
        var json: JSONObject = ["operationId": .string(id), "summary": .string(summary)]
        json["description"] = details.map(JSONValue.string)
        if !parameters.isEmpty { json["parameters"] = .array(parameters.map { .reference("parameters", $0) }) }
        json["requestBody"] = body.map { .reference("requestBodies", $0) }
        json["responses"] = .object(responses)
        if isForAdmins { json["security"] = [["admin": []]] }
        return .object(json)
    }

    private var responses: JSONObject {
        var responses = JSONObject(answers.map { ("\($0.status.rawValue)", $0.json(isHead: isHead)) })
        let possible = problems + Problem.Code.ofAnyRequest
        let codes = Dictionary(grouping: Problem.Code.allCases.filter(possible.contains), by: \.status)
        for (status, codes) in codes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            responses["\(status.rawValue)"] = problem("Problem\(status.rawValue)", OpenAPI.listing(codes))
        }
        responses["default"] = problem("Problem", "Any other problem.")
        return responses
    }

    private func problem(_ name: String, _ description: String) -> JSONValue {
        var json: JSONObject = isHead ? [:] : ["$ref": .string("#/components/responses/\(name)")]
        json["description"] = .string(description)
        return .object(json)
    }
}

extension Operation.Answer {
    fileprivate func json(isHead: Bool) -> JSONValue {
        var json: JSONObject = ["description": .string(description)]
        if !headers.isEmpty {
            json["headers"] = .object(JSONObject(headers.map { ($0, .reference("headers", $0)) }))
        }
        let forms = [content, alternative].compactMap(\.self)
        if !forms.isEmpty, !isHead { json["content"] = .object(JSONObject(forms.map { ($0.type, $0.json) })) }
        json["links"] = isHead ? nil : links
        return .object(json)
    }
}

extension Problem.Code {
    /// What the connection finds wrong before any route is looked for.
    static let ofAnyRequest: [Problem.Code] = [
        .malformedRequest, .requestTimeout, .bodyTooLarge, .uriTooLong, .expectationFailed, .headersTooLarge,
        .notImplemented, .httpVersionNotSupported,
    ]
}
