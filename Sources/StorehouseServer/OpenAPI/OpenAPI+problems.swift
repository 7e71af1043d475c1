import HTTP
import JSON

// Problems.
extension OpenAPI {
    /// One response for each status, and one for any problem.
    static var problemResponses: JSONObject {
        let byStatus = Dictionary(grouping: Problem.Code.allCases, by: \.status)
        var responses = JSONObject(
            byStatus.sorted { $0.key.rawValue < $1.key.rawValue }.map { status, codes in
                ("Problem\(status.rawValue)", response(listing(codes), status, codes))
            })
        responses["Problem"] = [
            "description": "Any problem.", "content": content(of: Problem.Code.allCases),
        ]
        return responses
    }

    /// The codes with their titles.
    static func listing(_ codes: [Problem.Code]) -> String {
        codes.map { "`\($0.rawValue)`: \($0.title)." }.joined(separator: " ")
    }

    private static func response(_ description: String, _ status: HTTPStatus, _ codes: [Problem.Code]) -> JSONValue {
        var response: JSONObject = ["description": .string(description)]
        let headers = headers(status, codes) + ["X-Request-Id"]
        response["headers"] = .object(
            JSONObject(headers.map { ($0, .reference("headers", $0)) } + headersOfSome(status)))
        response["content"] = content(of: codes)
        return .object(response)
    }

    /// The header fields that every problem of this status has.
    private static func headers(_ status: HTTPStatus, _ codes: [Problem.Code]) -> [String] {
        let own = codes.allSatisfy { example($0).response["Retry-After"] != nil } ? ["Retry-After"] : []
        return switch status {
        case .unauthorized: own + ["WWW-Authenticate"]
        case .methodNotAllowed: own + ["Allow"]
        case .preconditionFailed: own + ["ETag"]
        default: own
        }
    }

    /// The header fields that only some problems of this status have.
    private static func headersOfSome(_ status: HTTPStatus) -> [(String, JSONValue)] {
        guard status == .conflict else { return [] }
        let texts = [
            ("ETag", "action-rejected: the revision at which it was decided, as for a state."),
            ("Retry-After", "idempotency-conflict: the number of seconds to wait before another attempt."),
        ]
        return texts.map { name, text in
            (name, ["description": .string(text), "required": false, "schema": ["type": "string"]])
        }
    }

    /// All problems have one schema, so that a generated client has one type for them.
    private static func content(of codes: [Problem.Code]) -> JSONValue {
        [
            "application/problem+json": content(
                .schema("Problem"),
                codes.map { ($0.rawValue, .written(example($0).response.naming("1k0q8v3m0000017").body)) })
        ]
    }

    private static func example(_ code: Problem.Code) -> Problem { Problem(code, code.title + ".") }

    static var problemSchema: JSONValue {
        object(
            [
                "type": ["type": "string", "format": "uri", "description": "The code as a URI."],
                "title": ["type": "string"],
                "status": ["type": "integer", "minimum": 400, "maximum": 599],
                "detail": ["type": "string", "description": "What is wrong and what to do about it, for people."],
                "code": [
                    "type": "string", "description": "The stable identifier, for programs.",
                    "enum": .array(Problem.Code.allCases.map { .string($0.rawValue) }),
                ],
                "requestId": [
                    "type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$",
                    "description": "The value of X-Request-Id, which is in the log too.",
                ],
                "oldest": count("revision-gone: the oldest revision that is still available."),
                "offset": count("malformed-json: the offset of the first byte that is no JSON."),
                "errors": [
                    "type": "array", "description": "invalid-payload: all violations of the schema.",
                    "items": .schema("Violation"),
                ],
                "index": count("The index of the refused action in its batch, from 0."),
                "nearest": [
                    "type": "array", "description": "unknown-action: the most similar types.",
                    "items": ["type": "string"],
                ],
                "reason": [
                    "type": "string",
                    "description": "action-rejected: the reducer's reason. revision-gone: why it is not available.",
                ],
                "revision": count(
                    "revision-mismatch: the current revision. action-rejected: the revision at which it was decided."),
                "from": count("sequence-conflict: the number of the first entry whose outcome is kept."),
                "through": count("sequence-conflict: the number of the last decided entry."),
            ],
            optional: [
                "oldest", "offset", "errors", "index", "nearest", "reason", "revision", "from", "through",
            ])
    }
}
