import HTTP
import JSON
import Stores

// What is seen on a stream.
extension OpenAPI {
    var watch: Operation {
        Operation(
            "watch", "The live stream of events",
            details: """
                `state` comes first, at once, and then after every commit that changed the selected value; several \
                commits at once may come as one event, for the last of them. `closed` comes last. A comment line breaks \
                a long silence.
                """,
            parameters: ["select", "Last-Event-ID", "lastEventId"],
            answers: [
                .init(
                    status: .ok, description: "The stream, which goes on until one side ends it.",
                    content: ("text/event-stream", Self.content(Self.streamSchema, streamExample))),
                .init(status: .noContent, description: "The session has ended: do not come back."),
            ],
            problems: [.malformedPointer, .noSuchSession, .notAcceptable, .tooManyStreams, .draining])
    }

    private static var streamSchema: JSONValue {
        [
            "type": "string",
            "description": "Events as in WHATWG HTML, section 9.2. `x-events` has the data of each by its name.",
            "x-events": ["state": .schema("StateEvent"), "closed": .schema("ClosedEvent")],
        ]
    }

    private var streamExample: [(String, JSONValue)] {
        kinds.prefix(1).map { kind in
            let first = StateEvent(history: "3kf9x2", revision: 0, json: kind.initialState, changedAt: 0)
            let bytes = ServerSentEvent(retry: 2000, comment: "storehouse").bytes + first.encoded()
            return (kind.name, .string(String(decoding: bytes, as: UTF8.self)))
        }
    }
}
