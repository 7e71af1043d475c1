import JSON
import Sessions
import StoreHosting
import Stores

// The schemas of responses and events.
extension OpenAPI {
    var requestSchemas: JSONObject {
        let store = JSONSchema.enumeration(kinds.map(\.name)).described("The kind of store.")
            .defaulting(to: .string(features.defaultStore))
        return [
            "SessionRequest": .written(RequestSchemas.creation(store: store).encoded()),
            "ForkRequest": forkRequest,
            "ReplayRequest": .written(RequestSchemas.replay.encoded()),
        ]
    }

    static var sessionSchemas: JSONObject {
        [
            "SessionID": Self.sessionID,
            "Session": Self.session,
            "SessionLinks": links([
                "self", "state", "actions", "sync", "events", "forks", "shares", "presence", "signals",
            ]),
            "ReplayOutcomes": object(["replay": Self.replay]),
            "ReplayedAction": Self.replayedAction,
            "ForkOrigin": object(["revision": count("The revision of the other session that it was forked at.")]),
            "CreatedSession": createdSession,
            "SessionList": object([
                "sessions": ["type": "array", "items": .schema("Session")],
                "next": [
                    "type": ["string", "null"],
                    "description": "The value of `after` for the next page; null on the last page.",
                ],
            ]),
            "StateAnswer": object(["revision": .schema("Revision"), "state": .schema("State")]),
            "DispatchAnswer": dispatchAnswer(withEffects: true),
            "SharedDispatchAnswer": dispatchAnswer(withEffects: false),
            "ActionLog": object([
                "actions": ["type": "array", "items": .schema("LoggedAction")],
                "next": [
                    "type": ["integer", "null"],
                    "description": "The value of `after` or `before` for the next page; null on the last page.",
                ],
            ]),
            "LoggedAction": Self.loggedAction,
            "Actor": Self.actor,
            "RefusedActionLog": object(["actions": ["type": "array", "items": .schema("RefusedAction")]]),
            "RefusedAction": Self.refusedAction,
            "Revision": count("0 for the initial state; each committed action adds one."),
        ]
    }

    private static func dispatchAnswer(withEffects: Bool) -> JSONValue {
        var members: JSONObject = [
            "revision": .schema("Revision"), "outcome": ["type": "string", "enum": ["committed", "ignored"]],
            "state": .schema("State"),
        ]
        if withEffects { members["effects"] = names("The effects that the action started.") }
        members["settled"] = [
            "type": "boolean",
            "description": "With `Prefer: wait=N`: whether all effects have ended, or the time was over before.",
        ]
        members["patch"] = .schema("Patch")
        return object(members, optional: ["settled", "patch"])
    }

    static var eventSchemas: JSONObject {
        [
            "StateEvent": object(
                [
                    "revision": .schema("Revision"), "state": .schema("State"),
                    "through": through,
                    "skipped": count("How many events were skipped because the client reads too slowly."),
                ], optional: ["through", "skipped"]),
            "PatchEvent": object(
                ["revision": .schema("Revision"), "patch": .schema("Patch"), "through": through],
                optional: ["through"]),
            "Patch": ["type": "array", "items": .schema("PatchOperation")],
            "PatchOperation": object(
                [
                    "op": ["type": "string", "enum": ["add", "remove", "replace", "move"]],
                    "from": ["type": "string", "format": "json-pointer"],
                    "path": ["type": "string", "format": "json-pointer"],
                    "value": ["description": "Any JSON. Operations that remove or move have none."],
                ], optional: ["from", "value"]),
            "EffectEvent": Self.effectEvent,
            "ReadyEvent": readyEvent,
            "HeartbeatEvent": object([:]),
            "ClosedEvent": object([
                "reason": ["type": "string", "enum": .array(Self.closedReasons.map(JSONValue.string))]
            ]),
        ]
    }

    /// The reasons of streams that have begun, and of refused ones.
    private static var closedReasons: [String] {
        let begun = ["session-ended", "draining", "rotated", "expired", "revoked"]
        return Problem.Code.allCases.compactMap(\.closedReason).reduce(into: begun) { reasons, reason in
            if !reasons.contains(reason) { reasons.append(reason) }
        }
    }

    static var documentSchemas: JSONObject {
        [
            "Problem": Self.problemSchema,
            "Violation": object([
                "pointer": ["type": "string", "format": "json-pointer", "description": "The place in the body."],
                "detail": ["type": "string"],
            ]),
            "Index": object(["name": ["type": "string"], "links": .schema("IndexLinks")]),
            "IndexLinks": links(
                ["stores", "openapi", "sessions", "liveness", "readiness", "metrics", "client", "inspector"],
                optional: ["client", "inspector"]),
            "Stores": object(["stores": ["type": "array", "items": .schema("Store")]]),
            "Store": Self.store,
            "ActionDescription": Self.action,
            "SelectorDescription": object(
                [
                    "name": ["type": "string"], "summary": ["type": "string"],
                    "dependsOn": [
                        "type": "string", "enum": ["actor"], "description": "Each reader has a value of its own.",
                    ],
                ], optional: ["dependsOn"]),
            "Health": object(["status": ["type": "string", "enum": ["alive", "ready"]]]),
        ]
    }

    private static var sessionID: JSONValue {
        [
            "type": "string",
            "pattern": .string(
                "^[A-Za-z0-9_-]{\(SessionID.length.lowerBound),\(SessionID.length.upperBound)}$"),
            "description": "At least 128 random bits. Whoever knows the id may use the session.",
        ]
    }

    /// The members of a session document.
    private static var sessionMembers: JSONObject {
        [
            "id": .schema("SessionID"),
            "store": ["type": "string", "description": "The kind of store."],
            "revision": .schema("Revision"),
            "createdAt": timestamp, "lastActiveAt": timestamp,
            "expiresAt": [
                "type": "string", "format": "date-time",
                "description": "When it ends unless it is used until then; absent if it never does.",
            ],
            "subscribers": count("The number of open event streams."),
            "effects": names("The running effects."),
            "links": .schema("SessionLinks"),
            "forkedFrom": .schema("ForkOrigin"),
            "owner": ["type": "string", "description": "The subject that it belongs to, if there is one."],
            "node": ["type": "string", "description": "The node that has it, if there are several nodes."],
            "mark": [
                "type": "string", "pattern": "^[0-9a-f]{8}$", "description": "The digits that name it in the log.",
            ],
            "stateBytes": count(
                "The length of the state as JSON. In lists of sessions it is absent where it is not known."),
            "oldestRevision": [
                "type": "integer", "format": "int64", "minimum": 0,
                "description": "The oldest revision whose state can be read. Lists of sessions do not have it.",
            ],
        ]
    }

    private static let optionalSessionMembers: Set = [
        "expiresAt", "forkedFrom", "owner", "node", "stateBytes", "oldestRevision",
    ]

    private static var session: JSONValue { object(sessionMembers, optional: optionalSessionMembers) }

    /// The document of a session at its creation. It repeats the members, since not all generators join an `allOf`.
    private static var createdSession: JSONValue {
        var members = sessionMembers
        members["state"] = .schema("State")
        members["replay"] = replay
        return object(members, optional: optionalSessionMembers.union(["replay"]))
    }

    /// The body of a fork. Its members are schemas with names, for generators of clients.
    private var forkRequest: JSONValue {
        guard case .object(var schema) = JSONValue.written(RequestSchemas.fork.encoded()),
            case .object(var properties)? = schema["properties"]
        else { return .null }
        properties["replay"] = .schema("ReplayRequest")
        schema["properties"] = .object(properties)
        return .object(schema)
    }

    private static let replay: JSONValue = [
        "type": "array", "items": .schema("ReplayedAction"),
        "description": "The actions that were sent again, with the revisions that they have in the other session.",
    ]

    private static var replayedAction: JSONValue {
        object(
            [
                "revision": .schema("Revision"), "type": ["type": "string"],
                "outcome": [
                    "type": "string",
                    "enum": .array(ReplayedAction.Outcome.allCases.map { .string($0.rawValue) }),
                ],
                "reason": ["type": "string", "description": "Why it is not committed."],
            ], optional: ["reason"])
    }

    private static var loggedAction: JSONValue {
        object(
            [
                "revision": .schema("Revision"), "type": ["type": "string"],
                "payload": ["type": "object", "description": "The payload of the action, with secrets redacted."],
                "origin": Self.origin,
                "actor": .schema("Actor"),
                "cause": [
                    "type": ["integer", "null"],
                    "description": "The revision whose action caused it; null if none did.",
                ],
                "at": timestamp, "patch": .schema("Patch"),
            ], optional: ["actor", "patch"])
    }

    private static var actor: JSONValue {
        object(
            [
                "kind": [
                    "type": "string", "enum": ["user", "anonymous"],
                    "description": "`user` is the subject of a token, and `anonymous` is anybody else.",
                ],
                "id": ["type": "string", "description": "The subject; absent for an anonymous actor."],
                "name": ["type": "string", "description": "The name of the user, if the token has one."],
                "roles": names("The roles that the token gives."),
            ], optional: ["id", "name"])
    }

    static var origin: JSONValue {
        [
            "type": "string", "enum": .array(Origin.allCases.map { .string($0.rawValue) }),
            "description": "The origin of the action.",
        ]
    }

    private static var refusedAction: JSONValue {
        object(
            [
                "type": ["type": "string"],
                "payload": [
                    "type": "object",
                    "description": "The payload without secrets; absent if the store has no action of this type.",
                ],
                "isCut": ["type": "boolean", "description": "Whether long members of the payload are left out."],
                "actor": .schema("Actor"),
                "index": count("Of a batch, the index of the action."),
                "status": ["type": "integer", "minimum": 400, "maximum": 499],
                "code": ["type": "string", "description": "The code of the problem."],
                "reason": ["type": "string", "description": "Why the reducer has rejected the action."],
                "revision": .schema("Revision"),
                "at": timestamp,
            ], optional: ["type", "payload", "isCut", "index", "reason", "revision"])
    }

    static var kindVersion: JSONValue {
        [
            "type": "string", "pattern": "^[1-9][0-9]*\\.[0-9a-z]+$",
            "description": """
            The number of the state's schema, and a hash of the declaration: of the schemas, the types, audiences, filled members and \
            reasons of the actions, and the names of the selectors.
            """,
        ]
    }

    private static var store: JSONValue {
        object([
            "name": ["type": "string"],
            "summary": ["type": "string"],
            "initialState": .schema("State"),
            "version": kindVersion,
            "state": ["type": "object", "description": "The JSON Schema (draft 2020-12) of the states."],
            "selectors": [
                "type": "array", "description": "Named values for `select`.",
                "items": .schema("SelectorDescription"),
            ],
            "actions": ["type": "array", "items": .schema("ActionDescription")],
        ])
    }

    private static var action: JSONValue {
        object(
            [
                "type": ["type": "string"],
                "summary": ["type": "string"],
                "audience": [
                    "type": "string", "pattern": "^(client|internal|role:.+)$",
                    "description": """
                    Who may dispatch it: every `client`, only clients with a role (`role:cashier`), or only the server's own \
                    middleware (`internal`).
                    """,
                ],
                "reasons": names(
                    "The reasons for which the reducer rejects it, as far as its declaration names them; absent if it names none."
                ),
                "filled": [
                    "type": "object",
                    "additionalProperties": ["type": "string", "enum": ["actor", "user", "now", "id"]],
                    "description": """
                    The members of the payload that the server fills: with the `actor`, the id of the `user`, the time `now` in \
                    milliseconds since 1970, or an unguessable `id`. Clients send none of them but an `id`, of 22 to 64 characters of \
                    URL-safe Base64.
                    """,
                ],
                "payload": ["type": "object", "description": "A JSON Schema (draft 2020-12) of what clients send."],
                "example": ["type": "object", "description": "A complete request body."],
            ], optional: ["reasons", "filled"])
    }
}

// Building blocks of schemas.
extension OpenAPI {
    static func object(_ members: JSONObject, optional: Set<String> = []) -> JSONValue {
        let required = members.names.filter { !optional.contains($0) }
        return [
            "type": "object", "properties": .object(members), "required": .array(required.map { .string($0) }),
        ]
    }

    static func count(_ description: String) -> JSONValue {
        ["type": "integer", "minimum": 0, "description": .string(description)]
    }

    static func names(_ description: String) -> JSONValue {
        ["type": "array", "items": ["type": "string"], "description": .string(description)]
    }

    private static func links(_ names: [String], optional: Set<String> = []) -> JSONValue {
        object(JSONObject(names.map { ($0, ["type": "string", "format": "uri-reference"]) }), optional: optional)
    }

    static var timestamp: JSONValue { ["type": "string", "format": "date-time"] }
}
