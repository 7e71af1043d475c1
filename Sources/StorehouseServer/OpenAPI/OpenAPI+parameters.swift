import JSON
import Sessions
import StoreHosting
import Stores

// Parameters and response header fields.
extension OpenAPI {
    /// The parameters by the names of their components.
    var parameters: JSONObject {
        JSONObject(
            [
                stateParameters, streamParameters, Self.presenceParameters, Self.readyParameters, pageParameters,
                logParameters, headerParameters,
            ].flatMap(Array.init))
    }

    private var stateParameters: JSONObject {
        [
            "id": [
                "name": "id", "in": "path", "required": true,
                "description": .string(
                    "The session's id." + (features.usesTokens ? " `me` is the session of the token's subject." : "")),
                "schema": features.usesTokens
                    ? ["anyOf": [.schema("SessionID"), ["const": "me"]]] : .schema("SessionID"),
            ],
            "storeOfMe": [
                "name": "store", "in": "query",
                "description": "The kind of store, if the id is `me`; otherwise it is ignored.",
                "schema": .written(
                    JSONSchema.enumeration(kinds.map(\.name)).defaulting(to: .string(features.defaultStore)).encoded()),
            ],
            "kind": [
                "name": "kind", "in": "path", "required": true, "description": "The name of a kind of store.",
                "schema": .written(JSONSchema.enumeration(kinds.map(\.name)).encoded()),
            ],
            "share": [
                "name": "share", "in": "path", "required": true, "description": "The share.",
                "schema": ["type": "string", "minLength": 1],
            ],
            "shareId": [
                "name": "shareId", "in": "path", "required": true,
                "description": "The id of a share, which is not the share itself.",
                "schema": ["type": "string", "minLength": 1],
            ],
            "select": select,
            "revision": [
                "name": "revision", "in": "query",
                "description": "Reads the state at this revision; 410 if it is no longer available.",
                "schema": Self.revision,
            ],
            "dryRun": [
                "name": "dryRun", "in": "query",
                "description": """
                With `true` nothing is committed and no effect starts. The response says what would happen, with the \
                `patch` that would result.
                """,
                "schema": ["type": "boolean", "default": false],
            ],
            "dryRunOfFork": [
                "name": "dryRun", "in": "query",
                "description": "With `true` no session is made. The response has the outcomes of the replay.",
                "schema": ["type": "boolean", "default": false],
            ],
        ]
    }

    private var streamParameters: JSONObject {
        [
            "changes": [
                "name": "changes", "in": "query",
                "description": """
                The format of the events after the first `state`: the whole value after each change, or each change as \
                a JSON Patch (RFC 6902).
                """,
                "schema": .written(
                    JSONSchema.enumeration(StreamParameters.formats.map(\.name)).defaulting(to: "state").encoded()),
            ],
            "effects": [
                "name": "effects", "in": "query", "description": "Whether to send the events of effects.",
                "schema": ["type": "boolean", "default": false],
            ],
            "actions": [
                "name": "actions", "in": "query",
                "description": """
                Whether to send the entry of the action log before the event of its state, and after a resume those that \
                were missed.
                """,
                "schema": ["type": "boolean", "default": false],
            ],
            "heartbeat": [
                "name": "heartbeat", "in": "query",
                "description": """
                With `event`, heartbeats are events named `heartbeat` without an `id`, so that a page can hear them. \
                Otherwise they are comments.
                """,
                "schema": ["type": "string", "enum": ["event"]],
            ],
            "color": [
                "name": "color", "in": "query", "description": "Whether the lines for a terminal are coloured.",
                "schema": ["type": "boolean", "default": false],
            ],
            "lastEventId": [
                "name": "lastEventId", "in": "query",
                "description": "The same as Last-Event-ID, for clients that cannot set header fields.",
                "schema": ["type": "string"],
            ],
        ]
    }

    private var pageParameters: JSONObject {
        [
            "after": [
                "name": "after", "in": "query", "description": "Starts after this revision.",
                "schema": Self.revision,
            ],
            "afterPage": [
                "name": "after", "in": "query", "description": "Starts after the page whose `next` this is.",
                "schema": ["type": "string"],
            ],
            "store": [
                "name": "store", "in": "query", "description": "Lists only sessions of this kind of store.",
                "schema": ["type": "string"],
            ],
            "role": [
                "name": "role", "in": "query",
                "description": "Lists only sessions of which the subject is this; otherwise both.",
                "schema": .written(JSONSchema.enumeration(SessionRole.allCases.map(\.rawValue)).encoded()),
            ],
            "owner": [
                "name": "owner", "in": "query", "description": "Lists only sessions of this owner.",
                "schema": ["type": "string"],
            ],
            "order": [
                "name": "order", "in": "query",
                "description": "Lists the sessions by their last use, the most recent first, and not by their ids.",
                "schema": ["type": "string", "enum": ["used"]],
            ],
            "mark": [
                "name": "mark", "in": "query",
                "description": "Lists only the session that lines of the log name by these 8 hexadecimal digits.",
                "schema": ["type": "string", "pattern": "^[0-9A-Fa-f]{8}$"],
            ],
            "limit": [
                "name": "limit", "in": "query", "description": "The maximum number of entries of a page.",
                "schema": .written(
                    JSONSchema.integer(PageSize.range).defaulting(to: .integer(PageSize.usual)).encoded()),
            ],
        ]
    }

    private var logParameters: JSONObject {
        [
            "before": [
                "name": "before", "in": "query",
                "description": "Lists the newest first, below this revision. It excludes `after`.",
                "schema": Self.revision,
            ],
            "type": [
                "name": "type", "in": "query", "description": "Lists only actions of this type.",
                "schema": ["type": "string", "minLength": 1],
            ],
            "origin": [
                "name": "origin", "in": "query", "description": "Lists only actions of this origin.",
                "schema": Self.origin,
            ],
            "changesOfActions": [
                "name": "changes", "in": "query", "description": "Whether each action has its `patch` of the state.",
                "schema": ["type": "boolean", "default": false],
            ],
            "refused": [
                "name": "refused", "in": "query",
                "description": """
                With `true` the answer lists the last 100 refused actions instead, newest first. It excludes all others.
                """,
                "schema": ["type": "boolean", "default": false],
            ],
        ]
    }

    private static let revision: JSONValue = ["type": "integer", "format": "int64", "minimum": 0]

    private var headerParameters: JSONObject {
        [
            "Last-Event-ID": [
                "name": "Last-Event-ID", "in": "header",
                "description": "The `id` of the last event that the client has. Earlier events are not repeated.",
                "schema": ["type": "string"],
            ],
            "Idempotency-Key": [
                "name": "Idempotency-Key", "in": "header",
                "description": """
                Identifies the request if it is sent again: the first response is then repeated, for at least ten \
                minutes.
                """,
                "schema": ["type": "string"],
                "examples": ["key": ["value": "\"8e03978e-40d5-43e8-bc93-6894a57f9324\""]],
            ],
            "If-Match": Self.condition(
                "If-Match", "Does so only at one of these revisions, else 412. `*` matches any revision."),
            "If-None-Match": Self.condition(
                "If-None-Match",
                """
                If the session is still at one of these revisions, a read responds with 304, anything else with 412. A list or a \
                description of kinds responds with 304 if one of the tags is still its own.
                """),
            "Prefer": Self.prefer,
            "preferStatus": [
                "name": "Prefer", "in": "header",
                "description": """
                `status` asks for the status of a refusal also where `Accept` is `text/event-stream` alone. Otherwise such a \
                client gets a stream with one `closed` event instead of 429 or 503 (RFC 7240).
                """,
                "schema": ["type": "string"],
                "examples": ["status": ["value": "status"]],
            ],
        ]
    }

    private var select: JSONValue {
        let selectors = kinds.map { ($0.name, $0.selectors.map { "`\($0.name)`" }) }.filter { !$1.isEmpty }
        let lists = selectors.map { " In `\($0)`: \($1.joined(separator: ", "))." }.joined()
        return [
            "name": "select", "in": "query",
            "description": .string(
                """
                Selects a part of the state: a JSON Pointer (RFC 6901), or the name of one of the store's selectors. A \
                pointer to nothing selects null. A selector that depends on the actor has another value for each \
                reader.\(lists)
                """),
            "schema": ["type": "string"],
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
            "examples": [
                "tag": ["value": "\"3.1p4ho1q6yzk5d\""], "revision": ["value": "\"3\""], "any": ["value": "*"],
            ],
        ]
    }

    private static var prefer: JSONValue {
        [
            "name": "Prefer", "in": "header",
            "description": """
            `return=minimal` asks for a response without a body. `wait=N` delays the response, for at most N seconds, \
            until all effects that the action started have ended (RFC 7240).
            """,
            "schema": ["type": "string"],
            "examples": ["minimal": ["value": "return=minimal"], "wait": ["value": "wait=5"]],
        ]
    }

    var headers: JSONObject {
        [
            "ETag": Self.header(
                "The revision and the history that it belongs to, or a hash of the document, in quotes.",
                pattern: "^\"[0-9A-Za-z.+/]+\"$"),
            "Location": Self.header("The path of the new session.", pattern: "^\(features.basePath)/sessions/"),
            "Content-Location": Self.header(
                "The path at which the document never changes.",
                pattern: "^\(features.basePath)/client-[0-9a-f]{16}\\.js$"),
            "Link": Self.header(
                "The next page, with `rel=\"next\"`, if there is one.", pattern: "^<[^>]+>; rel=\"next\"$",
                isRequired: false),
            "WWW-Authenticate": Self.header("How to authenticate.", pattern: "^Bearer"),
            "X-Request-Id": Self.header(
                "The id of the request: the client's own, or a new one.", pattern: "^[A-Za-z0-9._-]{1,64}$"),
            "Preference-Applied": Self.header("Which preferences were honoured.", isRequired: false),
            "Idempotency-Replayed": Self.header(
                "The response repeats that to the first request with this key.", pattern: "^true$", isRequired: false
            ),
            "Storehouse-Outcome": Self.header(
                "The action was ignored; a committed one has no such field.", pattern: "^ignored$", isRequired: false),
            "Retry-After": Self.header("The number of seconds to wait before another attempt.", pattern: "^[0-9]+$"),
            "Allow": Self.header("The methods of this resource.", pattern: "^[A-Z]+(, [A-Z]+)*$"),
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
