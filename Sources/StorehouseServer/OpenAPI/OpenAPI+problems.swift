import HTTP
import JSON

// What goes wrong.
extension OpenAPI {
    /// One response a status, and one for whatever problem.
    static var problemResponses: JSONObject {
        let byStatus = Dictionary(grouping: Problem.Code.allCases, by: \.status)
        var responses = JSONObject(
            byStatus.sorted { $0.key.rawValue < $1.key.rawValue }.map { status, codes in
                ("Problem\(status.rawValue)", response(listing(codes), status, codes))
            })
        responses["Problem"] = [
            "description": "A problem.", "content": content(.schema("Problem"), of: Problem.Code.allCases),
        ]
        return responses
    }

    /// The codes in words.
    static func listing(_ codes: [Problem.Code]) -> String {
        codes.map { "`\($0.rawValue)`: \($0.title)." }.joined(separator: " ")
    }

    private static func response(_ description: String, _ status: HTTPStatus, _ codes: [Problem.Code]) -> JSONValue {
        let words = codes.map { JSONValue.string($0.rawValue) }
        let schema: JSONValue = [
            "allOf": [
                .schema("Problem"),
                ["properties": ["status": ["const": .integer(status.rawValue)], "code": ["enum": .array(words)]]],
            ]
        ]
        var response: JSONObject = ["description": .string(description)]
        let headers = headers(status, codes)
        if !headers.isEmpty {
            response["headers"] = .object(JSONObject(headers.map { ($0, .reference("headers", $0)) }))
        }
        response["content"] = content(schema, of: codes)
        return .object(response)
    }

    /// The fields that every problem of this status has: those it is born with, and those it is given.
    private static func headers(_ status: HTTPStatus, _ codes: [Problem.Code]) -> [String] {
        let own = codes.allSatisfy { example($0).response["Retry-After"] != nil } ? ["Retry-After"] : []
        return switch status {
        case .methodNotAllowed: own + ["Allow"]
        case .preconditionFailed: own + ["ETag"]
        default: own
        }
    }

    private static func content(_ schema: JSONValue, of codes: [Problem.Code]) -> JSONValue {
        [
            "application/problem+json": content(
                schema, codes.map { ($0.rawValue, .written(example($0).response.body)) })
        ]
    }

    private static func example(_ code: Problem.Code) -> Problem { Problem(code, code.title + ".") }

    static var problemSchema: JSONValue {
        object(
            [
                "type": ["type": "string", "format": "uri", "description": "The code as a name of its own."],
                "title": ["type": "string"],
                "status": ["type": "integer", "minimum": 400, "maximum": 599],
                "detail": ["type": "string", "description": "What is wrong and what to do about it, for a person."],
                "code": [
                    "type": "string", "description": "The stable word to decide by.",
                    "enum": .array(Problem.Code.allCases.map { .string($0.rawValue) }),
                ],
                "offset": count("malformed-json: the byte at which the body stops being JSON."),
                "errors": [
                    "type": "array", "description": "invalid-payload: all that does not fit.",
                    "items": .schema("Violation"),
                ],
                "index": count("Of a batch, which action was refused, from 0."),
                "nearest": [
                    "type": "array", "description": "unknown-action: the types most like it.",
                    "items": ["type": "string"],
                ],
                "reason": [
                    "type": "string",
                    "description": "action-rejected: the reducer's own word. revision-gone: why it is not kept.",
                ],
                "revision": count("revision-mismatch: the revision now."),
            ],
            optional: ["offset", "errors", "index", "nearest", "reason", "revision"])
    }
}
