import HTTP
import JSON
import StoreHosting
import Stores

// What is done with sessions.
extension OpenAPI {
    var createSession: Operation {
        Operation(
            "createSession", "Creates a session", body: "Session",
            answers: [
                .init(
                    status: .created, description: "The session, with the state that it begins with.",
                    headers: ["Location", "ETag"],
                    content: Self.json(.schema("NewSession"), examples: sessionExamples), links: Self.links)
            ],
            problems: [
                .malformedJSON, .unsupportedMediaType, .notAcceptable, .invalidPayload, .noSuchStore, .tooManySessions,
                .draining, .storageUnavailable,
            ])
    }

    var forkSession: Operation {
        Operation(
            "forkSession", "Creates a session from a state of this one",
            details: """
                It begins with that state at its own revision 0. No effect runs in it: what was under way in the state is \
                settled as interrupted.
                """, body: "Fork",
            answers: [
                .init(
                    status: .created, description: "The session, with the state that it begins with.",
                    headers: ["Location", "ETag"], content: Self.json(.schema("NewSession")), links: Self.links)
            ],
            problems: [
                .malformedJSON, .unsupportedMediaType, .notAcceptable, .invalidPayload, .noSuchSession,
                .noSuchRevision, .sessionEnded, .revisionGone, .tooManySessions, .internalError, .notImplemented,
                .draining, .storageUnavailable,
            ])
    }

    var listSessions: Operation {
        var operation = Operation(
            "listSessions", "The session documents, in the order of their ids",
            details: "With `Authorization: Bearer` and the admin token only. It is the one place where ids are listed.",
            parameters: ["afterID", "limit"],
            answers: [
                .init(
                    status: .ok, description: "The sessions, and where the next page begins if there is one.",
                    content: Self.json(.schema("SessionList")))
            ],
            problems: [.notAcceptable, .unauthorized, .storageUnavailable])
        operation.isForAdmins = true
        return operation
    }

    var readSession: Operation {
        Operation(
            "readSession", "The session document",
            answers: [.init(status: .ok, description: "The session.", content: Self.json(.schema("Session")))],
            problems: [.noSuchSession, .sessionEnded, .notAcceptable, .internalError, .storageUnavailable])
    }

    var deleteSession: Operation {
        Operation(
            "deleteSession", "Ends the session",
            details: "Running effects are cancelled and streams are closed. From then on the answer is 410.",
            answers: [.init(status: .noContent, description: "It has ended.")],
            problems: [.noSuchSession, .sessionEnded, .internalError, .storageUnavailable])
    }

    var readState: Operation {
        Operation(
            "readState", "The state, or a part of it", parameters: ["select", "revision", "If-None-Match"],
            answers: [
                .init(
                    status: .ok, description: "The state and its revision.", headers: ["ETag"],
                    content: Self.json(.schema("StateAnswer"), examples: stateExamples)),
                .init(
                    status: .notModified, description: "The session is still at this revision.", headers: ["ETag"]),
            ],
            problems: [
                .malformedPointer, .noSuchSession, .noSuchRevision, .sessionEnded, .revisionGone, .notAcceptable,
                .internalError, .storageUnavailable,
            ])
    }

    /// What a session's id, fresh from its creation, is good for.
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

    /// A new session of each kind, written by what writes the real ones.
    private var sessionExamples: [(String, JSONValue)] {
        guard let id = SessionID("tGKKBL2ISsXf4VK6kCU3XQ".utf8) else { return [] }
        return kinds.map { kind in
            let session = Session(
                id, KindRuntime(kind, .standard, nil), kind.makeStore(), journal: nil, createdAt: 1_767_225_600_000,
                historyID: "")
            let document = SessionDocument(
                session: session, now: session.createdAt, idleTimeout: 86_400_000, state: kind.initialState,
                revision: 0)
            return (kind.name, .written(document.encoded()))
        }
    }

    /// The body of `POST /sessions/{id}/forks`.
    var forkBody: JSONValue {
        [
            "description": "Which state to begin with. Without a body it is the newest.",
            "content": [
                "application/json": Self.content(
                    .written(SessionAPI.forkSchema.encoded()), [("earlier", ["revision": 0])])
            ],
        ]
    }

    /// The body of `POST /sessions`.
    var sessionBody: JSONValue {
        let store = JSONSchema.enumeration(kinds.map(\.name)).described("The kind of store.")
            .defaulting(to: .string(defaultStore))
        let schema = JSONValue.written(SessionAPI.creationSchema(store: store).encoded())
        return [
            "description": "Which kind of store it is to be. Without a body it is the default one.",
            "content": [
                "application/json": Self.content(
                    schema, kinds.map { ($0.name, ["store": .string($0.name)]) })
            ],
        ]
    }
}
