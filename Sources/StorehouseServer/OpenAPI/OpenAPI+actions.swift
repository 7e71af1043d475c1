import HTTP
import JSON
import RemoteServices
import StoreHosting
import Stores

// What is done with actions.
extension OpenAPI {
    var dispatch: Operation {
        Operation(
            "dispatch", "Dispatches an action, or a batch",
            details: """
                A batch is committed whole, in order and with nothing in between, or not at all. What an action does, \
                and which kinds of store have it, stands in `GET \(Route.stores.path)`.
                """,
            parameters: ["select", "dryRun", "Idempotency-Key", "If-Match", "Prefer"], body: "Actions",
            answers: [
                .init(
                    status: .ok, description: "Committed, or ignored because it has nothing to do with the state now.",
                    headers: ["ETag", "Preference-Applied", "Idempotency-Replayed"],
                    content: Self.json(.schema("DispatchAnswer"), examples: dispatchExamples)),
                .init(
                    status: .noContent, description: "The same, as `Prefer: return=minimal` wants it.",
                    headers: ["ETag", "Preference-Applied", "Idempotency-Replayed"]),
            ],
            problems: [
                .malformedJSON, .malformedPointer, .internalAction, .noSuchSession, .notAcceptable,
                .unsupportedMediaType, .actionRejected, .idempotencyConflict, .sessionEnded, .revisionMismatch,
                .unknownAction, .invalidPayload, .idempotencyMismatch, .rateLimited, .internalError, .overloaded,
                .draining, .storageUnavailable,
            ])
    }

    private var dispatchExamples: [(String, JSONValue)] {
        kinds.prefix(1).map { kind in
            let answer: JSONValue = [
                "revision": 1, "outcome": "committed", "state": .written(kind.initialState), "effects": [],
            ]
            return (kind.name, answer)
        }
    }

    var readActions: Operation {
        Operation(
            "readActions", "The action log, oldest first", parameters: ["after", "limit"],
            answers: [
                .init(
                    status: .ok, description: "What was committed, and where the next page begins if there is one.",
                    content: Self.json(.schema("ActionLog")))
            ],
            problems: [
                .noSuchSession, .sessionEnded, .revisionGone, .notAcceptable, .internalError, .storageUnavailable,
            ])
    }

    /// The body of `POST /sessions/{id}/actions`.
    var actionsBody: JSONValue {
        let single = actions.map { ($0.type, $0.example) }
        let pair = kinds.first?.actions.filter { $0.audience == .client }.prefix(2).map(\.example) ?? []
        let schema: JSONValue = [
            "oneOf": [
                .schema("Action"),
                ["type": "array", "items": .schema("Action"), "minItems": 1, "maxItems": 100],
            ]
        ]
        return [
            "description": "An action, or a batch of 1 to 100.",
            "required": true,
            "content": [
                "application/json": Self.content(schema, single + (pair.isEmpty ? [] : [("batch", .array(pair))]))
            ],
        ]
    }

    /// The actions that a client may send, and a schema for each.
    var actionSchemas: [(String, JSONValue)] {
        let actions = actions
        let mapping = actions.map { ($0.type, JSONValue.string("#/components/schemas/\($0.component)")) }
        let any: JSONValue = [
            "oneOf": .array(actions.map { .schema($0.component) }),
            "discriminator": ["propertyName": "type", "mapping": .object(JSONObject(mapping))],
        ]
        return [("Action", any)] + actions.map { ($0.component, $0.schema) }
    }

    /// The actions for clients, each type once, however many kinds of store have it.
    private var actions: [DescribedAction] {
        var actions: [DescribedAction] = []
        var places: [String: Int] = [:]
        for kind in kinds {
            for action in kind.actions where action.audience == .client {
                if let place = places[action.type] {
                    actions[place].add(action, of: kind)
                } else {
                    places[action.type] = actions.count
                    actions.append(DescribedAction(action, of: kind))
                }
            }
        }
        return actions
    }
}

// What is seen on a stream.
extension OpenAPI {
    var watch: Operation {
        Operation(
            "watch", "The live stream of events",
            details: Self.streamDetails,
            parameters: ["select", "changes", "effects", "color", "Last-Event-ID", "lastEventId"],
            answers: [
                .init(
                    status: .ok, description: "The stream, which goes on until one side ends it.",
                    content: ("text/event-stream", Self.content(Self.streamSchema, streamExample))),
                .init(status: .noContent, description: "The session has ended: do not come back."),
            ],
            problems: [
                .malformedRequest, .malformedPointer, .noSuchSession, .notAcceptable, .tooManyStreams, .draining,
            ])
    }

    private static let streamDetails = """
        `state` comes first, at once, and then after every commit that changed the selected value; several commits at once may \
        come as one event, for the last of them. With `changes=patch` the later events are `patch`, each a JSON Patch \
        (RFC 6902) of the value that the events before it gave. A client that reads too slowly is moved to the newest `state`, \
        which says how many events were `skipped`. `closed` comes last: where its reason is not \
        `session-ended`, connect again. A comment line breaks a long silence.

        With `effects=true`, `effect` tells what happens to effects. One starts behind the `state` of the commit that caused \
        it, succeeds or fails before the `state` that it brings, and is cancelled behind the `state` of the commit that \
        cancelled it.

        To a client that prefers `text/plain` the same is told in lines for a terminal, one a change: time (UTC), revision, \
        action, path: old → new.
        """

    private static var streamSchema: JSONValue {
        [
            "type": "string",
            "description": "Events as in WHATWG HTML, section 9.2. `x-events` has the data of each by its name.",
            "x-events": [
                "state": .schema("StateEvent"), "patch": .schema("PatchEvent"), "effect": .schema("EffectEvent"),
                "closed": .schema("ClosedEvent"),
            ],
        ]
    }

    /// The data of `effect`.
    static var effectEvent: JSONValue {
        object(
            [
                "effect": ["type": "string", "description": "Which effect."],
                "phase": [
                    "type": "string", "enum": .array(EffectEvent.Phase.allCases.map { .string($0.rawValue) }),
                ],
                "cause": count("The revision whose action started it."),
                "attempt": count("Which try of its call begins, where it is `retrying`."),
                "code": [
                    "type": "string", "enum": .array(RemoteFailure.Code.allCases.map { .string($0.rawValue) }),
                    "description": "Why it is tried again, or has failed.",
                ],
                "duration": count("How long it took, in milliseconds, where it has ended."),
                "upstream": ["type": "string", "description": "The remote service that it called, where it is known."],
            ], optional: ["attempt", "code", "duration", "upstream"])
    }

    private var streamExample: [(String, JSONValue)] {
        kinds.prefix(1).map { kind in
            let first = StateEvent(
                historyID: "3kf9x2", revision: 0, json: kind.initialState, lastChangedRevision: 0)
            let bytes = ServerSentEvent(retry: 2000, comment: "storehouse").bytes + first.encoded()
            return (kind.name, .string(String(decoding: bytes, as: UTF8.self)))
        }
    }
}
