import JSON
import Sessions

// Whether a client is up to date, and whose entries it has.
extension OpenAPI {
    static var readyParameters: JSONObject {
        [
            "ready": [
                "name": "ready", "in": "query",
                "description": "Whether to send an event once the client is up to date.",
                "schema": ["type": "boolean", "default": false],
            ],
            "sync": [
                "name": "sync", "in": "query",
                "description": """
                The id of a client that sends an outbox. Events then tell whose entries a value contains. It implies \
                `ready=true`.
                """,
                "schema": ["type": "string", "pattern": "^[A-Za-z0-9_-]{22,64}$"],
            ],
        ]
    }

    /// The member of events that tells whose entries a value contains.
    static var through: JSONValue {
        [
            "type": ["object", "null"], "additionalProperties": ["type": "integer", "minimum": 0],
            "description": """
            With `sync`: the marks of the clients with entries that were decided since the event before, and the number of the last \
            one of each; absent without any, null for more than 64 clients. `ready` then follows for each of them.
            """,
        ]
    }

    /// The data of `ready` events.
    static var readyEvent: JSONValue {
        object(
            [
                "revision": .schema("Revision"),
                "history": [
                    "type": "string",
                    "description": "The part of an `ETag` behind the dot. It changes when revisions were lost.",
                ],
                "mark": [
                    "type": "string",
                    "description": "With `sync`: names the client in `through`; absent if the client has no record.",
                ],
                "through": [
                    "type": "object", "additionalProperties": ["type": "integer", "minimum": 0],
                    "description": "With `sync`: the mark, and the number of the last entry that the value contains.",
                ],
                "heartbeat": ["type": "number", "description": "The longest silence of the stream in seconds."],
                "maxBody": count("The longest body of a request in bytes."),
                "time": timestamp,
                "store": ["type": "string", "description": "The kind of store."],
                "version": kindVersion,
            ], optional: ["mark", "through"])
    }
}
