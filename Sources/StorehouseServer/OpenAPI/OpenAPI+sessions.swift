import HTTP
import HTTPServer
import JSON
import Sessions
import StoreHosting
import Stores

// Operations on sessions.
extension OpenAPI {
    var createSession: Operation {
        Operation(
            "createSession", "Creates a session", body: "Session",
            responses: [
                .init(
                    status: .created, description: "The session with its initial state.",
                    headers: ["Location", "ETag"],
                    content: Self.json(.schema("CreatedSession"), examples: sessionExamples), links: Self.links)
            ],
            problems: [
                .forbidden, .malformedJSON, .unsupportedMediaType, .notAcceptable, .invalidPayload, .noSuchStore,
                .tooManySessions, .overloaded, .draining, .storageUnavailable, .outcomeUnknown,
            ])
    }

    var putSession: Operation {
        let session = Self.json(.schema("Session"))
        return Operation(
            "putSession", "Creates a session with an id that the client has made",
            details: """
                Safe to repeat: if there is a session with this id and of this kind, it is the answer. Whoever knows the id \
                may use the session, so make it of at least 128 random bits. With `If-None-Match: *` it is 412 if there is \
                a session with this id.
                """, parameters: ["If-Match", "If-None-Match"], body: "Session",
            responses: [
                .init(status: .ok, description: "The session that was there already.", content: session),
                .init(
                    status: .created, description: "The session with its initial state.",
                    headers: ["Location", "ETag"],
                    content: Self.json(.schema("CreatedSession"), examples: sessionExamples)),
            ],
            problems: [
                .forbidden, .malformedJSON, .unsupportedMediaType, .notAcceptable, .invalidPayload, .noSuchStore,
                .noSuchSession, .sessionConflict, .sessionEnded, .revisionMismatch, .tooManySessions, .internalError,
                .overloaded, .draining, .storageUnavailable, .outcomeUnknown,
            ])
    }

    var forkSession: Operation {
        Operation(
            "forkSession", "Creates a session from a state of this one",
            details: """
                The new session begins with that state at revision 0. No effect runs in it, and no timer, before its first own \
                action: effects that ran in the other session count as interrupted. With `replay` the actions of clients after \
                the revision are sent to it again, in their order. They start no effects, and those that contained a secret \
                are skipped. `skip` leaves some of them out, and `replace` sends others in their place, by the client that \
                forks.
                """, parameters: ["dryRunOfFork"], body: "Fork",
            responses: [
                .init(
                    status: .ok, description: "With `dryRun=true`: the outcomes of the replay. No session is made.",
                    content: Self.json(.schema("ReplayOutcomes"))),
                .init(
                    status: .created, description: "The session with its initial state.",
                    headers: ["Location", "ETag"], content: Self.json(.schema("CreatedSession")), links: Self.links),
            ],
            problems: [
                .forbidden, .malformedJSON, .internalAction, .identityRequired, .roleRequired, .unsupportedMediaType,
                .notAcceptable, .unknownAction, .invalidPayload, .noSuchSession,
                .noSuchRevision, .sessionEnded, .revisionGone, .tooManySessions, .internalError, .notImplemented,
                .overloaded, .draining, .storageUnavailable, .outcomeUnknown,
            ])
    }

    var listOwnSessions: Operation {
        Operation(
            "listOwnSessions", "The sessions that the token's subject owns or is a member of",
            details: """
                The order of the sessions stays the same. A page may have fewer sessions than `limit`, or none, although another \
                one follows.
                """,
            parameters: ["afterPage", "limit", "store", "role"],
            responses: [
                .init(
                    status: .ok, description: "The sessions, and the start of the next page if there is one.",
                    content: Self.json(.schema("SessionList")))
            ],
            problems: [.forbidden, .notAcceptable, .overloaded, .storageUnavailable])
    }

    var listSessions: Operation {
        Operation(
            "listSessions", "The session documents, in the order of their ids or of their last use",
            details: "Requires `Authorization: Bearer` with the admin token.",
            parameters: ["afterPage", "limit", "store", "owner", "mark", "order"],
            responses: [
                .init(
                    status: .ok, description: "The sessions, and the start of the next page if there is one.",
                    content: Self.json(.schema("SessionList")))
            ],
            problems: [.notAcceptable, .overloaded, .storageUnavailable])
    }

    /// An operation on a session for requests with the admin token.
    func adminOperation(_ operation: Operation, _ id: String, _ details: String) -> Operation {
        Operation(
            id, operation.summary,
            details: "Requires `Authorization: Bearer` with the admin token, and \(details).",
            parameters: operation.parameters, responses: operation.responses, problems: operation.problems)
    }

    var readSession: Operation {
        Operation(
            "readSession", "The session document",
            responses: [.init(status: .ok, description: "The session.", content: Self.json(.schema("Session")))],
            problems: [
                .noSuchSession, .sessionEnded, .notAcceptable, .internalError, .overloaded, .storageUnavailable,
            ])
    }

    var deleteSession: Operation {
        Operation(
            "deleteSession", "Ends the session",
            details: "Cancels running effects and closes streams. Later requests get 410.", parameters: ["If-Match"],
            responses: [.init(status: .noContent, description: "The session has ended.")],
            problems: [
                .forbidden, .noSuchSession, .sessionEnded, .revisionMismatch, .internalError, .storageUnavailable,
                .outcomeUnknown,
            ])
    }

    var readState: Operation {
        Operation(
            "readState", "The state, or a part of it",
            parameters: ["select", "revision", "If-Match", "If-None-Match"],
            responses: [
                .init(
                    status: .ok, description: "The state and its revision.", headers: ["ETag"],
                    content: Self.json(.schema("StateAnswer"), examples: stateExamples)),
                .init(
                    status: .notModified, description: "The session is still at this revision.", headers: ["ETag"]),
            ],
            problems: [
                .malformedPointer, .noSuchSession, .noSuchRevision, .sessionEnded, .revisionGone, .revisionMismatch,
                .notAcceptable, .internalError, .overloaded, .storageUnavailable,
            ])
    }

    /// The operations that take the id of a new session.
    private static var links: JSONValue {
        let names = ["readSession", "deleteSession", "readState", "readActions", "dispatch", "watch", "forkSession"]
        return .object(
            JSONObject(
                names.map { name in
                    (name, ["operationId": .string(name), "parameters": ["id": "$response.body#/id"]])
                }))
    }

    private var stateExamples: [(String, JSONValue)] {
        kinds.map { ($0.name, ["revision": 0, "state": .written($0.initialState)]) }
    }

    /// A new session of each kind, encoded like real ones.
    private var sessionExamples: [(String, JSONValue)] {
        guard let id = SessionID("tGKKBL2ISsXf4VK6kCU3XQ".utf8) else { return [] }
        return kinds.map { kind in
            let session = Session(
                id, KindRuntime(kind, .standard, SessionClock(WallClock()), nil), kind.makeStore(), journal: nil,
                createdAt: 1_767_225_600_000,
                historyID: "")
            let document = SessionDocument(
                session: session, revision: 0, basePath: features.basePath, createdAt: session.createdAt,
                lastActiveAt: session.createdAt, expiresAt: session.createdAt + 86_400_000,
                extent: SessionDocument.Extent(stateBytes: kind.initialState.count, oldestRevision: 0),
                state: kind.initialState)
            return (kind.name, .written(document.encoded()))
        }
    }

    /// The body of `POST /sessions/{id}/forks`.
    var forkBody: JSONValue {
        [
            "description": .string(
                "The state to begin with: at most \(Request.maxParsedOnLoop) bytes. Without a body it is the newest state."
            ),
            "content": [
                "application/json": Self.content(
                    .schema("ForkRequest"),
                    [("earlier", ["revision": 0]), ("replay", ["revision": 0, "replay": ["skip": [1]]])])
            ],
        ]
    }

    /// The body of `POST /sessions`.
    var sessionBody: JSONValue {
        [
            "description": "The kind of store. Without a body it is the default kind.",
            "content": [
                "application/json": Self.content(
                    .schema("SessionRequest"), kinds.map { ($0.name, ["store": .string($0.name)]) })
            ],
        ]
    }
}
