import HTTP
import JSON
import Security
import Sessions

// Operations on shares, and through them.
extension OpenAPI {
    var createShare: Operation {
        Operation(
            "createShare", "Makes a share of the session",
            details: """
                Whoever has the share may use the part of the session that it shows, without knowing the session's id and \
                without a token, until it expires or is revoked. Its `id` names it in the list and for its revocation.
                """, body: "Share",
            responses: [
                .init(status: .created, description: "The share.", content: Self.json(.schema("Share")))
            ],
            problems: [
                .forbidden, .malformedJSON, .malformedPointer, .unsupportedMediaType, .notAcceptable, .invalidPayload,
                .noSuchSession, .sessionEnded, .tooManyShares, .internalError, .draining, .storageUnavailable,
                .outcomeUnknown,
            ])
    }

    var listShares: Operation {
        Operation(
            "listShares", "The shares of the session that are valid, the oldest first",
            details: "The list has no share itself, but its id. Shares that earlier releases have made are in no list.",
            responses: [.init(status: .ok, description: "The shares.", content: Self.json(.schema("Shares")))],
            problems: [
                .forbidden, .noSuchSession, .sessionEnded, .notAcceptable, .internalError, .storageUnavailable,
            ])
    }

    var revokeShare: Operation {
        Operation(
            "revokeShare", "Revokes one share of the session",
            details: "Ends its event streams with the reason `revoked`.",
            responses: [.init(status: .noContent, description: "The share is revoked.")],
            problems: [
                .forbidden, .noSuchSession, .noSuchShare, .sessionEnded, .internalError, .storageUnavailable,
                .outcomeUnknown,
            ])
    }

    var revokeShares: Operation {
        Operation(
            "revokeShares", "Revokes all shares of the session",
            details: "Ends their event streams with the reason `revoked`.",
            responses: [.init(status: .noContent, description: "The shares are revoked.")],
            problems: [.forbidden, .noSuchSession, .sessionEnded, .internalError, .storageUnavailable, .outcomeUnknown])
    }

    var readSharedState: Operation {
        Operation(
            "readSharedState", "The part of the state that the share shows, or a part of that",
            details: Self.sharedDetails, parameters: ["select", "If-Match", "If-None-Match"],
            responses: [
                .init(
                    status: .ok, description: "The value, and the revision of the session.", headers: ["ETag"],
                    content: Self.json(.schema("StateAnswer"))),
                .init(
                    status: .notModified, description: "The value is the same as at this revision.", headers: ["ETag"]),
            ],
            problems: [
                .forbidden, .malformedPointer, .noSuchShare, .sessionEnded, .revisionMismatch, .notAcceptable,
                .internalError, .overloaded, .storageUnavailable,
            ])
    }

    var watchShared: Operation {
        Operation(
            "watchShared", "The live stream of what the share shows",
            details: "The same events as those of the session, without effects. \(Self.sharedDetails)",
            parameters: [
                "select", "changes", "presence", "signals", "ready", "sync", "heartbeat", "color",
                "Last-Event-ID", "lastEventId", "preferStatus",
            ],
            responses: [
                .init(
                    status: .ok, description: "The stream. It lasts until one side ends it.",
                    content: ("text/event-stream", Self.content(Self.streamSchema(isWhole: false), [])))
            ],
            problems: [
                .forbidden, .malformedPointer, .noSuchShare, .sessionEnded, .notAcceptable, .tooManyStreams,
                .tooManyViews, .overloaded, .draining, .storageUnavailable,
            ])
    }

    var dispatchShared: Operation {
        Operation(
            "dispatchShared", "Dispatches an action, or a batch, through the share", details: Self.sharedDetails,
            parameters: ["select", "dryRun", "Idempotency-Key", "If-Match", "Prefer"], body: "Actions",
            responses: [
                .init(
                    status: .ok, description: "Committed, or ignored because it does not apply to the current state.",
                    headers: ["ETag", "Preference-Applied", "Idempotency-Replayed"],
                    content: Self.json(.schema("SharedDispatchAnswer"))),
                .init(
                    status: .noContent, description: "The same, for `Prefer: return=minimal`.",
                    headers: ["ETag", "Preference-Applied", "Idempotency-Replayed", "Storehouse-Outcome"]),
            ],
            problems: dispatch.problems.filter { $0 != .noSuchSession } + [.noSuchShare])
    }

    var syncShared: Operation {
        Operation(
            "syncShared", "Sends an outbox through the share",
            details: "The share needs the permission `act`. The clients of a share that names nobody are its own.",
            body: "Sync", responses: sync.responses,
            problems: sync.problems.filter { $0 != .noSuchSession } + [.noSuchShare])
    }

    var readSharedPresence: Operation {
        Operation(
            "readSharedPresence", "Who watches the session of the share now",
            details: "The share needs the permissions `read` and `presence`.", responses: readPresence.responses,
            problems: readPresence.problems.filter { $0 != .noSuchSession } + [.forbidden, .noSuchShare])
    }

    var sendSharedSignal: Operation {
        Operation(
            "sendSharedSignal", "Sends a message to those who watch the session of the share now",
            details: "The share needs the permission `act`.", body: "Signal", responses: sendSignal.responses,
            problems: sendSignal.problems.filter { $0 != .noSuchSession } + [.noSuchShare])
    }

    private static let sharedDetails = """
        Pointers are relative to the part that the share shows. Revisions are those of the session.
        """

    /// The body of `POST /sessions/{id}/shares`.
    var shareBody: JSONValue {
        [
            "description":
                "What the share allows, shows, and for how long. Without a body it shows the whole state for an hour.",
            "content": [
                "application/json": Self.content(
                    .schema("ShareRequest"),
                    [
                        ("reader", ["may": ["read"], "expiresIn": 3600]), ("all", [:]),
                        ("part", ["may": ["read", "act"], "select": "/counter"]),
                        (
                            "guest",
                            [
                                "may": ["read", "act"], "as": ["id": "17", "name": "Ada", "roles": []],
                                "label": "front desk",
                            ]
                        ),
                        ("watcher", ["may": ["read", "presence"]]),
                    ])
            ],
        ]
    }

    private static let optionalMembers: Set = ["actions", "as", "label"]

    /// What is shown of a share to those who may make shares.
    private static var shareMembers: JSONObject {
        [
            "id": ["type": "string", "description": "Names the share. Nobody can use the share by it."],
            "may": [
                "type": "array",
                "items": ["type": "string", "enum": .array(Share.permissions.map { .string($0.rawValue) })],
            ],
            "select": ["type": "string", "description": "The part of the state that it shows."],
            "actions": [
                "type": "array", "items": ["type": "string"],
                "description": "The types of the actions that its holder may send. Without it, all of them.",
            ],
            "as": .schema("ShareHolder"),
            "label": ["type": "string"],
            "expiresAt": ["type": "string", "format": "date-time"],
        ]
    }

    private static func members(before: JSONObject = [:], behind: JSONObject) -> JSONObject {
        JSONObject([before, shareMembers, behind].flatMap(Array.init))
    }

    private static let linksOfShares = ["state", "events", "actions", "sync", "signals", "presence"]

    static var shareSchemas: JSONObject {
        [
            "ShareRequest": .written(Share.schema.encoded()),
            "Share": object(
                members(
                    before: ["share": ["type": "string", "description": "Whoever has it can use it.", "minLength": 1]],
                    behind: ["links": .schema("ShareLinks")]), optional: optionalMembers),
            "Shares": object(["shares": ["type": "array", "items": .schema("ListedShare")]]),
            "ListedShare": object(
                members(behind: ["createdAt": ["type": "string", "format": "date-time"]]), optional: optionalMembers),
            "ShareHolder": object(
                [
                    "id": ["type": "string", "description": "The id that the maker of the share gave."],
                    "name": ["type": "string"],
                    "roles": ["type": "array", "items": ["type": "string"]],
                ], optional: ["name"]),
            "ShareLinks": object(
                JSONObject(
                    Self.linksOfShares.map { ($0, ["type": "string", "format": "uri-reference"]) }),
                optional: Set(Self.linksOfShares)),
        ]
    }
}
