import HTTP
import JSON
import RemoteServices
import StoreHosting
import Stores

// Operations on actions.
extension OpenAPI {
    var dispatch: Operation {
        Operation(
            "dispatch", "Dispatches an action, or a batch",
            details: """
                A batch is committed atomically and in order, or not at all. `GET \(Route.stores.path)` describes the \
                actions of each kind of store.
                """,
            parameters: ["select", "dryRun", "Idempotency-Key", "If-Match", "Prefer"], body: "Actions",
            responses: [
                .init(
                    status: .ok, description: "Committed, or ignored because it does not apply to the current state.",
                    headers: ["ETag", "Preference-Applied", "Idempotency-Replayed"],
                    content: Self.json(.schema("DispatchAnswer"), examples: dispatchExamples)),
                .init(
                    status: .noContent, description: "The same, for `Prefer: return=minimal`.",
                    headers: ["ETag", "Preference-Applied", "Idempotency-Replayed"]),
            ],
            problems: [
                .forbidden, .malformedJSON, .malformedPointer, .internalAction, .noSuchSession, .notAcceptable,
                .unsupportedMediaType, .actionRejected, .idempotencyConflict, .sessionEnded, .revisionMismatch,
                .unknownAction, .invalidPayload, .idempotencyMismatch, .tooManyKeys, .internalError, .overloaded,
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
            responses: [
                .init(
                    status: .ok, description: "The committed actions, and the start of the next page if there is one.",
                    headers: ["Link"], content: Self.json(.schema("ActionLog")))
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

    /// The actions for clients: each type once, even if several kinds of store declare it.
    private var actions: [ActionSchemas] {
        var actions: [ActionSchemas] = []
        var indices: [String: Int] = [:]
        for kind in kinds {
            for action in kind.actions where action.audience == .client {
                if let index = indices[action.type] {
                    actions[index].add(action, of: kind)
                } else {
                    indices[action.type] = actions.count
                    actions.append(ActionSchemas(action, of: kind))
                }
            }
        }
        return actions
    }
}

// Event streams.
extension OpenAPI {
    var watch: Operation {
        Operation(
            "watch", "The live stream of events",
            details: Self.streamDetails,
            parameters: ["select", "changes", "effects", "color", "Last-Event-ID", "lastEventId"],
            responses: [
                .init(
                    status: .ok, description: "The stream. It lasts until one side ends it.",
                    content: ("text/event-stream", Self.content(Self.streamSchema, streamExample))),
                .init(status: .noContent, description: "The session has ended: do not reconnect."),
            ],
            problems: [
                .malformedRequest, .malformedPointer, .noSuchSession, .notAcceptable, .tooManyStreams, .tooManyViews,
                .overloaded, .draining,
            ])
    }

    private static let streamDetails = """
        A `state` event is sent at once, and then after every commit that changed the selected value. Commits of one batch \
        are one event, with the revision of the last commit. With `changes=patch` the later events are `patch` events: each \
        is a JSON Patch (RFC 6902) of the value that results from the events before it. A client that reads too slowly gets \
        the newest `state` instead, with the number of events that were `skipped`. `closed` is the last event: connect again \
        unless its reason is `session-ended`. A comment line breaks a long silence.

        With `effects=true` the stream also has `effect` events. The start of an effect comes after the `state` of the \
        commit that caused it. Its success or failure comes before the `state` that it results in. Its cancellation comes \
        after the `state` of the commit that cancelled it.

        Clients that prefer `text/plain` get lines for a terminal, one for each change: time (UTC), revision, action, \
        path: old → new.
        """

    private static var streamSchema: JSONValue {
        [
            "type": "string",
            "description":
                "Events as in WHATWG HTML, section 9.2. `x-events` has the schema of each event's data.",
            "x-events": [
                "state": .schema("StateEvent"), "patch": .schema("PatchEvent"), "effect": .schema("EffectEvent"),
                "closed": .schema("ClosedEvent"),
            ],
        ]
    }

    /// The data of `effect` events.
    static var effectEvent: JSONValue {
        object(
            [
                "effect": ["type": "string", "description": "The name of the effect."],
                "phase": [
                    "type": "string", "enum": .array(EffectEvent.Phase.allCases.map { .string($0.rawValue) }),
                ],
                "cause": count("The revision whose action started it."),
                "attempt": count("The number of the attempt that begins, if the phase is `retrying`."),
                "code": [
                    "type": "string", "enum": .array(RemoteFailure.Code.allCases.map { .string($0.rawValue) }),
                    "description": "Why it is retried, or has failed.",
                ],
                "duration": count("The duration in milliseconds, if it has ended."),
                "upstream": ["type": "string", "description": "The remote service that it called, if it is known."],
            ], optional: ["attempt", "code", "duration", "upstream"])
    }

    private var streamExample: [(String, JSONValue)] {
        kinds.prefix(1).map { kind in
            let first = StateEvent(
                historyID: "3kf9x2", revision: 0, json: kind.initialState, lastChangedRevision: 0)
            let bytes = ServerSentEvent(retry: 2000, comment: "storehouse").lines + first.encoded().plain
            return (kind.name, .string(String(decoding: bytes, as: UTF8.self)))
        }
    }
}

/// The schemas of one action type, which several kinds of store may declare.
struct ActionSchemas {
    let type: String
    let example: JSONValue
    private let summary: String
    private var stores: [String]
    /// One payload schema, unless the kinds disagree.
    private var payloads: [JSONValue]
    private var requiresPayload: Bool

    init(_ action: StoreKind.ActionDescription, of kind: StoreKind) {
        type = action.type
        example = action.example
        summary = action.summary
        stores = [kind.name]
        payloads = [.written(action.payload.encoded())]
        requiresPayload = Self.requiresPayload(action)
    }

    mutating func add(_ action: StoreKind.ActionDescription, of kind: StoreKind) {
        stores.append(kind.name)
        requiresPayload = requiresPayload && Self.requiresPayload(action)
        let payload = JSONValue.written(action.payload.encoded())
        if !payloads.contains(payload) { payloads.append(payload) }
    }

    /// The name of its component. Such names must not contain a slash.
    var component: String {
        "action." + type.utf8.map(Self.escaped).joined()
    }

    var schema: JSONValue {
        [
            "type": "object",
            "description": .string("\(summary) In: \(stores.joined(separator: ", "))."),
            "properties": [
                "type": ["type": "string", "const": .string(type)],
                "payload": payloads.count == 1 ? payloads[0] : ["anyOf": .array(payloads)],
            ],
            "required": requiresPayload ? ["type", "payload"] : ["type"],
            "additionalProperties": false,
        ]
    }

    private static func requiresPayload(_ action: StoreKind.ActionDescription) -> Bool {
        !action.payload.validate([:]).isEmpty
    }

    /// Escapes a byte that component names must not contain, so that no two types share a name.
    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "/"): "."
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            String(UnicodeScalar(byte))
        default: "_\(String(byte, radix: 16))_"
        }
    }
}
