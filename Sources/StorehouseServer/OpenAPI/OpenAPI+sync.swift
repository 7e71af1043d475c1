import HTTP
import JSON
import Sessions
import StoreHosting

// Outboxes.
extension OpenAPI {
    var sync: Operation {
        Operation(
            "sync", "Sends an outbox: each of its entries is run once",
            details: """
                For client libraries. A client numbers its entries, and the session keeps a record of the client with their outcomes, \
                in the commit of each. So a request whose answer was lost can be sent again at any time. `"new":true` begins the \
                record. The entries run in order, each is atomic, and a refused one does not stop the next. `from` says that the \
                client knows all outcomes below it. Without entries, the kept outcomes are given from there on.
                """,
            body: "Sync",
            responses: [
                .init(
                    status: .ok, description: "The outcomes of the entries, as far as they were run.",
                    content: Self.json(.schema("SyncAnswer")))
            ],
            problems: [
                .forbidden, .malformedJSON, .noSuchSession, .notAcceptable, .unsupportedMediaType, .clientForgotten,
                .sequenceConflict, .sessionEnded, .invalidPayload, .tooManyClients, .internalError, .overloaded,
                .draining, .storageUnavailable, .outcomeUnknown,
            ])
    }

    /// The body of `POST /sessions/{id}/sync`.
    var syncBody: JSONValue {
        let actions = kinds.first?.actions.filter { $0.audience != .internal }.prefix(1).map(\.example) ?? []
        let client: JSONValue = "kJ2vQ5Zr8mXw1bTn3yLd7A"
        let entries: JSONValue = ["client": client, "from": 17, "entries": [["actions": .array(actions)]]]
        let examples: [(String, JSONValue)] = [
            ("new", ["client": client, "new": true, "from": 1]), ("read", ["client": client, "from": 17]),
        ]
        return [
            "description": "The client, and the entries that it sends.",
            "required": true,
            "content": [
                "application/json": Self.content(
                    .schema("SyncRequest"), examples + (actions.isEmpty ? [] : [("entries", entries)]))
            ],
        ]
    }

    static var syncSchemas: JSONObject {
        [
            "SyncRequest": .written(RequestSchemas.sync.encoded()),
            "SyncAnswer": object(
                [
                    "mark": ["type": "string", "description": "Names the client in events. It gives no right."],
                    "revision": .schema("Revision"),
                    "history": ["type": "string", "description": "The part of an entity tag behind the dot."],
                    "through": count("The number of the last entry that was decided; 0 if none was."),
                    "results": ["type": "array", "items": .schema("SyncResult")],
                    "retryAfter": [
                        "type": "number", "minimum": 0,
                        "description": """
                        The seconds after which the entries that were not run can be sent again; absent if all were.
                        """,
                    ],
                ], optional: ["retryAfter"]),
            "SyncResult": object(
                [
                    "n": count("The number of the entry."),
                    "outcome": [
                        "type": "string", "enum": ["committed", "ignored", "rejected", "mismatched", "refused"],
                    ],
                    "revision": .schema("Revision"),
                    "replayed": ["type": "boolean", "description": "Whether an earlier request has run the entry."],
                    "effects": names("The effects that a committed entry started; absent through a share."),
                    "problem": .schema("Problem"),
                ], optional: ["replayed", "effects", "problem"]),
        ]
    }
}
