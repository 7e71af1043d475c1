import HTTP
import JSON
import Sessions
import StoreHosting

// Who watches, and signals.
extension OpenAPI {
    var readPresence: Operation {
        Operation(
            "readPresence", "Who watches the session now",
            responses: [
                .init(
                    status: .ok, description: "The actors with an event stream, and how many others there are.",
                    content: Self.json(.schema("Presence")))
            ],
            problems: [
                .noSuchSession, .sessionEnded, .notAcceptable, .internalError, .overloaded, .storageUnavailable,
            ])
    }

    var sendSignal: Operation {
        Operation(
            "sendSignal", "Sends a message to those who watch the session now",
            details: """
                Event streams with `signals=true` get it, the sender's own too. It is committed and stored nowhere. An actor may \
                send so many to a session as `limits.signals` allows.
                """, body: "Signal",
            responses: [.init(status: .noContent, description: "It is on its way to the streams, if there are any.")],
            problems: [
                .forbidden, .malformedJSON, .unsupportedMediaType, .invalidPayload, .noSuchSession, .sessionEnded,
                .internalError, .draining, .storageUnavailable,
            ])
    }

    /// The body of `POST /sessions/{id}/signals`.
    static var signalBody: JSONValue {
        [
            "description": .string("The message: at most \(Signal.maxBytes) bytes."),
            "required": true,
            "content": [
                "application/json": content(
                    .schema("SignalRequest"), [("cursor", ["type": "cursor", "payload": ["x": 3, "y": 4]])])
            ],
        ]
    }

    static var presenceParameters: JSONObject {
        [
            "presence": [
                "name": "presence", "in": "query",
                "description": "Whether to send who watches, and who joins and leaves.",
                "schema": ["type": "boolean", "default": false],
            ],
            "signals": [
                "name": "signals", "in": "query", "description": "Whether to send the signals of clients.",
                "schema": ["type": "boolean", "default": false],
            ],
        ]
    }

    static var presenceSchemas: JSONObject {
        let present: JSONValue = ["type": "array", "items": .schema("PresentActor")]
        let anonymous = count("How many streams there are of clients without an id.")
        let actors = count("How many actors there are, if they are too many to be listed.")
        return [
            "Presence": object(
                ["present": present, "actors": actors, "anonymous": anonymous], optional: ["present", "actors"]),
            "PresentActor": object([
                "actor": .schema("Actor"),
                "streams": count("How many streams it has; 0 while it may still come back, and for one that has left."),
            ]),
            "PresenceEvent": object(
                [
                    "present": present, "actors": actors, "joined": present, "left": present, "anonymous": anonymous,
                ], optional: ["present", "actors", "joined", "left"]),
            "SignalRequest": .written(RequestSchemas.signal.encoded()),
            "SignalEvent": object([
                "type": ["type": "string"], "payload": ["description": "Any JSON; null if the signal had none."],
                "actor": .schema("Actor"), "at": timestamp,
            ]),
        ]
    }
}
