import HTTP
import JSON
import RemoteServices
import Sessions
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
                    headers: ["ETag", "Preference-Applied", "Idempotency-Replayed", "Storehouse-Outcome"]),
            ],
            problems: [
                .forbidden, .malformedJSON, .malformedPointer, .internalAction, .identityRequired,
                .roleRequired, .noSuchSession, .notAcceptable,
                .unsupportedMediaType, .actionRejected, .idempotencyConflict, .sessionEnded, .revisionMismatch,
                .unknownAction, .invalidPayload, .idempotencyMismatch, .tooManyKeys, .internalError, .overloaded,
                .draining, .storageUnavailable, .outcomeUnknown,
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
            "readActions", "The action log, oldest first",
            details: """
                A page that shows only some actions looks at a bounded part of the log, so it may be empty and have a `next`.
                """,
            parameters: ["after", "before", "limit", "type", "origin", "changesOfActions", "refused"],
            responses: [
                .init(
                    status: .ok, description: "The committed actions, and the start of the next page if there is one.",
                    headers: ["Link"],
                    content: Self.json(["anyOf": [.schema("ActionLog"), .schema("RefusedActionLog")]]))
            ],
            problems: [
                .noSuchSession, .sessionEnded, .revisionGone, .notAcceptable, .internalError, .overloaded,
                .storageUnavailable,
            ])
    }

    /// The body of `POST /sessions/{id}/actions`.
    var actionsBody: JSONValue {
        let actions = kinds.flatMap(\.actions).filter { $0.audience != .internal }
        let unique = actions.enumerated().filter { index, action in
            actions.firstIndex { $0.type == action.type } == index
        }
        let pair = kinds.first?.actions.filter { $0.audience != .internal }.prefix(2).map(\.example) ?? []
        return [
            "description": "An action, or a batch of 1 to 100.",
            "required": true,
            "content": [
                "application/json": Self.content(
                    .schema("DispatchRequest"),
                    unique.map { ($1.type, $1.example) } + (pair.isEmpty ? [] : [("batch", .array(pair))]))
            ],
        ]
    }
}

// Event streams.
extension OpenAPI {
    var watch: Operation {
        Operation(
            "watch", "The live stream of events",
            details: Self.streamDetails,
            parameters: [
                "select", "changes", "effects", "actions", "presence", "signals", "ready", "sync", "heartbeat",
                "color", "Last-Event-ID", "lastEventId", "preferStatus",
            ],
            responses: [
                .init(
                    status: .ok, description: "The stream. It lasts until one side ends it.",
                    content: ("text/event-stream", Self.content(Self.streamSchema(isWhole: true), streamExample))),
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
        unless its reason is `session-ended`. A comment line breaks a long silence, or with `heartbeat=event` an event.

        A refusal with 429 or 503 is told as a stream with one `closed` event, and with a `retry:` time, to clients whose \
        `Accept` is `text/event-stream` alone, because an EventSource would give up for ever. `Prefer: status` asks for the \
        status.

        With `effects=true` the stream also has `effect` events. The start of an effect comes after the `state` of the \
        commit that caused it. Its success or failure comes before the `state` that it results in. Its cancellation comes \
        after the `state` of the commit that cancelled it.

        With `actions=true` each committed action is an `action` event with its entry of the action log, before the event \
        of its state. It has an `id` only if no event of a state follows, because the action has left the value as it is.

        With `presence=true` a `presence` event follows the first value. It lists who watches. Later ones say who has joined or \
        left, at most five a second. A client that was too slow for one gets the whole list again. With `signals=true` each \
        signal is a `signal` event. Slow clients miss signals, and none is sent again.

        With `ready=true` a `ready` event follows the first value or the events that were missed, or comes at once if there are \
        none. It has no `id`. With `sync` and the id of a client, the events of values also name the clients whose entries \
        (`POST …/sync`) they contain, by their marks, and `ready` comes again when entries of this client were decided and no \
        value names them. No event ends within an entry, and patches that were missed come as one.

        Clients that prefer `text/plain` get lines for a terminal, one for each change: time (UTC), revision, action, \
        path: old → new.
        """

    /// The name of each event, and the schema of its data.
    private static let events = [
        ("state", "StateEvent"), ("patch", "PatchEvent"), ("effect", "EffectEvent"), ("action", "LoggedAction"),
        ("presence", "PresenceEvent"), ("signal", "SignalEvent"), ("ready", "ReadyEvent"),
        ("heartbeat", "HeartbeatEvent"), ("closed", "ClosedEvent"),
    ]

    static func streamSchema(isWhole: Bool) -> JSONValue {
        let events = events.filter { isWhole || $0.0 != "effect" && $0.0 != "action" }
        return [
            "type": "string",
            "description": .string(
                "Events as in WHATWG HTML, section 9.2. The data of each is JSON: "
                    + events.map { "`\($0)` has a \($1)" }.joined(separator: ", ") + "."),
            "contentMediaType": "text/event-stream",
            "contentSchema": ["type": "array", "items": ["anyOf": .array(events.map { .schema($1) })]],
            "x-events": .object(JSONObject(events.map { ($0, .schema($1)) })),
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
            let codec = StreamFormat.state.codec
            let bytes =
                codec.preamble(retry: 2000, heartbeat: .seconds(15)) + codec.encode(first, skipped: 0, at: 0).plain
            return (kind.name, .string(String(decoding: bytes, as: UTF8.self)))
        }
    }
}
