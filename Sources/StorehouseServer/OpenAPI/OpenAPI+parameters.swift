import JSON
import StoreHosting
import Stores

// Parameters and the fields of answers.
extension OpenAPI {
    /// By the names that operations call them by.
    var parameters: JSONObject {
        [
            "id": [
                "name": "id", "in": "path", "required": true, "description": "The session's id.",
                "schema": .schema("SessionID"),
            ],
            "select": select,
            "color": [
                "name": "color", "in": "query", "description": "Whether lines for a terminal are in colour.",
                "schema": ["type": "boolean", "default": false],
            ],
            "dryRun": [
                "name": "dryRun", "in": "query",
                "description": """
                With `true` nothing is committed and nothing started: the answer tells what would have come of it, with the \
                `patch` that would have been made.
                """,
                "schema": ["type": "boolean", "default": false],
            ],
            "revision": [
                "name": "revision", "in": "query",
                "description": "The state as it was at this revision; 410 where it is no longer kept.",
                "schema": .written(JSONSchema.integer(minimum: 0).encoded()),
            ],
            "changes": [
                "name": "changes", "in": "query",
                "description": """
                What comes after the first `state`: the value again whenever it has changed, or as `patch` what has changed \
                in it (RFC 6902).
                """,
                "schema": .written(
                    JSONSchema.enumeration(StreamFormat.named.map(\.name)).defaulting(to: "state").encoded()),
            ],
            "after": [
                "name": "after", "in": "query", "description": "Begins behind this revision.",
                "schema": .written(JSONSchema.integer(minimum: 0).defaulting(to: 0).encoded()),
            ],
            "limit": [
                "name": "limit", "in": "query", "description": "How many entries a page has at most.",
                "schema": .written(
                    JSONSchema.integer(Service.pageSizes).defaulting(to: .integer(Service.usualPageSize)).encoded()),
            ],
            "afterID": [
                "name": "after", "in": "query", "description": "Begins behind the session of this id.",
                "schema": .schema("SessionID"),
            ],
            "effects": [
                "name": "effects", "in": "query", "description": "Whether to show what happens to effects.",
                "schema": ["type": "boolean", "default": false],
            ],
            "lastEventId": [
                "name": "lastEventId", "in": "query",
                "description": "As Last-Event-ID, for clients that cannot set fields.", "schema": ["type": "string"],
            ],
            "Last-Event-ID": [
                "name": "Last-Event-ID", "in": "header",
                "description": "The `id` of the last event seen: what has been seen is not repeated.",
                "schema": ["type": "string"],
            ],
            "Idempotency-Key": [
                "name": "Idempotency-Key", "in": "header",
                "description": """
                What this request is called where it is sent again: its first answer is given again then, for ten minutes \
                at least.
                """,
                "schema": ["type": "string"],
                "examples": ["key": ["value": "\"8e03978e-40d5-43e8-bc93-6894a57f9324\""]],
            ],
            "If-Match": Self.condition(
                "If-Match", "Commits only at one of these revisions, else 412. `*` is any."),
            "If-None-Match": Self.condition(
                "If-None-Match", "Answers 304 where the session is still at one of these revisions."),
            "Prefer": Self.prefer,
        ]
    }

    private var select: JSONValue {
        let pointer: JSONValue = ["pattern": "^(/([^~]|~[01])*)?$"]
        let names = kinds.flatMap(\.selectors).map(\.name)
        let unique = names.enumerated().filter { names.firstIndex(of: $1) == $0 }.map { JSONValue.string($1) }
        let schema: JSONValue =
            unique.isEmpty ? pointer : ["anyOf": [pointer, ["enum": .array(unique)]]]
        return [
            "name": "select", "in": "query",
            "description": """
            Narrows the state: a JSON Pointer (RFC 6901) into it, or the name of a selector of the store. What points at \
            nothing has the value null.
            """,
            "schema": ["type": "string", "allOf": [schema]],
            "examples": [
                "whole": ["value": ""], "pointer": ["value": "/counter/count"],
            ],
        ]
    }

    private static func condition(_ name: String, _ description: String) -> JSONValue {
        let tag = #"(W/)?"[!#-~]*""#
        return [
            "name": .string(name), "in": "header", "description": .string(description),
            "schema": ["type": "string", "pattern": .string("^(\\*|\(tag)(, *\(tag))*)$")],
            "examples": ["revision": ["value": "\"3\""], "any": ["value": "*"]],
        ]
    }

    private static var prefer: JSONValue {
        [
            "name": "Prefer", "in": "header",
            "description": """
            `return=minimal` asks for an answer without a body. `wait=N` holds the answer, N seconds at most, until all \
            has settled that the action set going (RFC 7240).
            """,
            "schema": ["type": "string"],
            "examples": ["minimal": ["value": "return=minimal"], "wait": ["value": "wait=5"]],
        ]
    }

    static var headers: JSONObject {
        [
            "ETag": header("The revision, in quotes.", pattern: "^\"[0-9]+\"$"),
            "Location": header("The path of the new session.", pattern: "^/sessions/"),
            "Preference-Applied": header("Which preferences were honoured.", isRequired: false),
            "Idempotency-Replayed": header(
                "The answer was given before, to the first request with this key.", pattern: "^true$", isRequired: false
            ),
            "Retry-After": header("After how many seconds to try again.", pattern: "^[0-9]+$"),
            "Allow": header("The methods that may be used here.", pattern: "^[A-Z]+(, [A-Z]+)*$"),
        ]
    }

    private static func header(_ description: String, pattern: String? = nil, isRequired: Bool = true) -> JSONValue {
        var schema: JSONObject = ["type": "string"]
        schema["pattern"] = pattern.map(JSONValue.string)
        return [
            "description": .string(description), "required": .bool(isRequired), "schema": .object(schema),
        ]
    }
}
