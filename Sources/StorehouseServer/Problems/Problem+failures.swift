import HTTP
import JSON
import Security
import Sessions
import StoreHosting
import Stores

// How clients read each failure of a session.
extension Problem {
    /// Calls `body`, and throws its failure as a problem.
    static func of<Value>(_ body: () throws(SessionFailure) -> Value) throws(Problem) -> Value {
        do throws(SessionFailure) {
            return try body()
        } catch {
            throw Problem(error)
        }
    }

    init(_ failure: SessionFailure) {
        switch failure {
        case .unavailable(let cause): self.init(cause)
        case .absent(let cause): self.init(cause)
        case .forbidden(let cause): self.init(cause)
        case .permit(let cause): self.init(cause)
        case .invalid(let violations, let body): self.init(violations, body)
        case .selection(let cause): self.init(cause)
        case .notJSON(let error):
            self = Problem(.malformedJSON, "\(error)").with("offset", .integer(error.offset))
        case .stored(let cause): self.init(cause)
        case .action(let cause): self.init(cause)
        case .key(let cause): self.init(cause)
        case .stream(let cause): self.init(cause)
        case .client(let cause): self.init(cause)
        case .detached:
            self.init(.storageUnavailable, "The session is being moved; nothing was done. Try again soon.")
        }
    }

    /// Why a commit is not durable, or a session cannot be loaded.
    init(_ failure: JournalError) { self.init(.unavailable(.storage(failure))) }

    private init(_ cause: SessionFailure.Unavailable) {
        switch cause {
        case .draining:
            self.init(
                .draining,
                "The server is shutting down; nothing was done. Try again, on another server if there is one.")
        case .storage(let failure): self.init(ofStorage: failure)
        case .clock(let difference):
            self.init(.storageUnavailable, "The node is not ready: \(difference); synchronize both clocks.")
        case .ownerSilent:
            self.init(
                .storageUnavailable,
                "The node that has this session does not answer; nothing was committed. Try again soon.")
        case .ownerUncertain:
            self.init(
                .storageUnavailable,
                "The session may belong to another node meanwhile, so it cannot be shown. Try again.")
        // No client sees it.
        case .notHere:
            self.init(.misdirectedRequest, "This node does not have the session, and has done nothing.")
        case .memory(let seconds):
            self = Problem(
                .overloaded,
                "The server has no memory left for more; nothing was committed. Delete sessions, or try later."
            ).retry(after: seconds)
        case .sessions(let seconds):
            self = Problem(
                .tooManySessions, "The server holds as many sessions as it may; delete some, or try later."
            ).retry(after: seconds)
        case .rate(let rate, let seconds):
            self = Problem(.rateLimited, "\(rate.detail) Nothing was done; try again in \(seconds) s.")
                .retry(after: seconds)
        case .reads:
            self.init(.overloaded, "Too many requests wait that read as much from the storage. Try again soon.")
        case .threads:
            self.init(.overloaded, "Too many requests wait for threads; nothing was done. Try again soon.")
        case .connections:
            self.init(
                .overloaded, "This server has as many connections as it may have; nothing was done. Try again soon.")
        case .output: self.init(.overloaded, "Too many bytes wait for slow clients; try again later.")
        case .actions: self.init(.overloaded, "Too many actions are queued for this session; nothing was committed.")
        }
    }

    private init(ofStorage failure: JournalError) {
        switch failure {
        case .unavailable:
            self.init(
                .storageUnavailable,
                "The storage is not available; nothing was committed. Try again soon; the server's log says why.")
        case .conflict:
            self.init(
                .storageUnavailable,
                "Another process has committed to this session meanwhile; nothing was committed here. Try again.")
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown,
                """
                The node that did this has lost the session, or the storage has not answered. GET …/actions tells whether it was \
                committed.
                """)
        case .corrupt:
            self.init(.internalError, "The stored data of this session is damaged; the operator has to restore it.")
        }
    }

    private init(_ cause: SessionFailure.Absent) {
        switch cause {
        case .session: self.init(.noSuchSession, "No session has this id; create one with POST /sessions.")
        case .personal:
            self.init(
                .noSuchSession,
                "Only a server with access.mode token has /sessions/me; create a session with POST /sessions.")
        case .expected: self.init(.noSuchSession, "No session has this id; leave out If-Match to create it.")
        case .ended:
            self.init(
                .sessionEnded, "This session was deleted or has expired; create another with POST /sessions.")
        case .endedMeanwhile: self.init(.sessionEnded, "This session was deleted or has expired.")
        case .endedBeforeAction:
            self.init(.sessionEnded, "This session was deleted or has expired; nothing was committed.")
        case .otherStore(let name):
            self.init(
                .sessionConflict, "There is a session with this id, and its store is \(name). Use another id.")
        case .store(let known):
            self.init(
                .noSuchStore, "No store has this name; the stores are: \(known.joined(separator: ", ")).")
        }
    }

    private init(_ cause: SessionFailure.Forbidden) {
        if case .action(let type, let index) = cause {
            self = Problem(.forbidden, "The share does not allow this: its actions lack \"\(type.cut)\".")
                .with("action", .string(type.cut)).with("index", index.map(JSONValue.integer))
            return
        }
        let detail =
            switch cause {
            case .token(let permission):
                "The token does not allow this: its storehouse.may lacks \"\(permission.rawValue)\"."
            case .permit(let permission): "The share does not allow this: its may lacks \"\(permission.rawValue)\"."
            case .action: "The share does not allow this action."
            case .role(let role): "A share can have only roles of its maker, and the token lacks \"\(role)\"."
            case .store: "The token does not allow this store: storehouse.stores lacks it."
            case .allStores:
                "The token does not allow /admin, which shows sessions of every store: it has storehouse.stores."
            case .state(let permission, _):
                "The state of the session does not let you do this: it does not give you the right \"\(permission.rawValue)\"."
            case .session:
                "No session with this id belongs to the token's subject, the token does not list it, and no state lets the subject in."
            }
        self.init(.forbidden, detail)
        switch cause {
        case .session: hidesSession = true
        case .state(_, let index?): self = with("index", .integer(index))
        default: break
        }
    }

    private init(_ cause: SessionFailure.PermitRefusal) {
        switch cause {
        // A client cannot tell which.
        case .unknown:
            self.init(
                .noSuchShare,
                "There is no such share: it has expired, it was revoked, or its text is not complete. Ask for a new one."
            )
        case .unknownID:
            self.init(.noSuchShare, "No share of this session has this id: it has expired or was revoked.")
        case .tooMany(let seconds):
            self = Problem(
                .tooManyShares,
                "This session has as many shares as it may. Revoke one; the first of them expires in \(seconds) s."
            ).retry(after: seconds)
        case .unsealed:
            self.init(.notImplemented, "Shares need libcrypto, which cannot be loaded (Debian package: libssl3).")
        }
    }

    private init(_ violations: [JSONSchema.Violation], _ body: SessionFailure.Body) {
        let detail =
            switch body {
            case .creation(let store): "The body must be like {\"store\":\"\(store)\"}."
            case .fork:
                #"The body must be like {"revision":3}, or {"revision":3,"replay":{"skip":[4],"replace":{"5":{"type":"…"}},"through":9}}, or empty for the newest."#
            case .permit:
                "The body must be like {\"may\":[\"read\"],\"label\":\"front desk\",\"expiresIn\":3600}, or empty."
            case .signal: "The body must be like {\"type\":\"cursor\",\"payload\":{\"x\":3}}."
            case .sync:
                "The body must be like {\"client\":\"kJ2vQ…\",\"from\":1,\"entries\":[{\"actions\":[{\"type\":\"…\"}]}]}."
            case .longPermit: "The selection of the share is too long; select less deeply."
            }
        self = .invalid(violations, detail)
    }

    /// As many as the check of a schema finds.
    private static let maxViolations = 20

    private static func invalid(_ violations: [JSONSchema.Violation], _ detail: String) -> Problem {
        Problem(.invalidPayload, detail).with(
            "errors",
            .array(
                violations.prefix(maxViolations).map { violation in
                    ["pointer": .string(violation.pointer.cut.description), "detail": .string(violation.detail)]
                }))
    }

    private init(_ cause: SessionFailure.SelectionFault) {
        switch cause {
        case .pointer(let error, let selectors):
            let named = selectors.joined(separator: ", ")
            let hint = named.isEmpty ? "" : " This store's named selectors are: \(named)."
            self.init(.malformedPointer, "select must be a JSON Pointer such as /counter/count. \(error)\(hint)")
        case .pointerIntoPart(let error):
            self.init(
                .malformedPointer, "select must be a JSON Pointer into the part that the share shows. \(error)")
        }
    }

    private init(_ cause: SessionFailure.Stored) {
        switch cause {
        case .laterRevision(let newest):
            self.init(.noSuchRevision, "The session is at revision \(newest); no later one exists yet.")
        case .goneRevision(let oldest):
            self.init(gone: "This revision is no longer stored", oldest: oldest)
        case .goneActions(let oldest):
            self.init(gone: "The log no longer has the revision after that one", oldest: oldest)
        case .noEarlierStates: self.init(.notImplemented, "This server stores no earlier states.")
        case .noActions: self.init(.notImplemented, "This server stores no log of actions.")
        case .contradiction:
            self.init(.internalError, "The stored commits up to this revision do not fit together.")
        case .unrestorable(let error):
            self.init(.internalError, "This release of the store cannot read the stored state: \(error).")
        case .otherStore(let name):
            self.init(.internalError, "The session is of store \(name), which this server does not host.")
        }
    }

    private init(gone detail: String, oldest: Int) {
        self = Problem(.revisionGone, "\(detail); the oldest one is \(oldest).")
            .with("reason", "retention").with("oldest", .integer(oldest))
    }

    private init(_ cause: SessionFailure.Action) {
        switch cause {
        case .refused(let refusal, let index):
            self = Problem(refusal).with("index", index.map(JSONValue.integer))
        case .rejected(let reason, let index, let revision, let history):
            self = Problem(.actionRejected, "The session's state does not allow this action now: \(reason).")
                .with("reason", .string(reason)).with("index", index.map(JSONValue.integer))
                .decided(at: revision, of: history)
        case .mismatch(let revision, let history):
            self = Problem(.revisionMismatch, "The session is at revision \(revision); read it and decide again.")
                .decided(at: revision, of: history)
        }
    }

    /// The problem with the revision of the session.
    private func decided(at revision: Int, of history: String) -> Problem {
        with("revision", .integer(revision))
            .with(.init("ETag", EntityTag(RevisionTag(revision, of: history)).description))
    }

    private init(_ refusal: ActionDecodingError) {
        switch refusal {
        case .unknownAction(_, let nearest):
            let hint = nearest.isEmpty ? "" : " Did you mean \(nearest.joined(separator: " or "))?"
            self = Problem(.unknownAction, "This store has no action of this type.\(hint) GET /stores lists them all.")
                .with("nearest", .array(nearest.map(JSONValue.string)))
        case .internalAction(let type):
            self.init(.internalAction, "\(type) is dispatched by the server's own middleware only.")
        case .roleRequired(let type, let role):
            self = Problem(.roleRequired, "\(type) is for clients with the role \(role) only.")
                .with("role", .string(role))
        case .identityRequired(let type):
            self.init(
                .identityRequired,
                "\(type) records who sends it, so it needs a token, or a share that names its holder.")
        case .invalidPayload(let violations):
            let first = violations.first.map { violation in
                ": \(violation.pointer == .root ? "it" : violation.pointer.cut.description) \(violation.detail)"
            }
            self = .invalid(violations, "The action does not match its schema\(first ?? "").")
        }
    }

    private init(_ cause: SessionFailure.Key) {
        switch cause {
        case .inProgress:
            self = Problem(
                .idempotencyConflict,
                "The first request with this Idempotency-Key is not answered yet; try again later."
            ).retry(after: 1)
        case .mismatch:
            self.init(
                .idempotencyMismatch,
                "This Idempotency-Key was used with another action; use a new key for this one.")
        case .unreadable:
            self.init(.internalError, "The first response can no longer be read; use another key.")
        case .tooMany(let seconds):
            self = Problem(
                .tooManyKeys,
                "This session remembers as many keys and responses as it may. A new key fits in \(seconds) s."
            ).retry(after: seconds)
        }
    }

    private init(_ cause: SessionFailure.Client) {
        switch cause {
        case .forgotten:
            self.init(
                .clientForgotten,
                """
                The session has no record of this client; nothing was run. Begin one with {"client":…,"new":true,"from":1}, under \
                another id if some entries may have been sent.
                """)
        case .conflict(let from, let through):
            self = Problem(
                .sequenceConflict,
                """
                A number of this request belongs to another entry, or its outcome is not kept any more; nothing was run. The \
                outcomes of the numbers from \(from) through \(through) are kept.
                """
            ).with("from", .integer(from)).with("through", .integer(through))
        case .tooMany(let seconds):
            self = Problem(
                .tooManyClients,
                "This session keeps as many records of clients as it may. One is given up in \(seconds) s."
            ).retry(after: seconds)
        }
    }

    private init(_ cause: SessionFailure.Stream) {
        switch cause {
        case .tooMany(let limit):
            self.init(
                .tooManyStreams, "The limit of open event streams of this session is \(limit). Close one first.")
        case .tooManyViews(let limit):
            self.init(
                .tooManyViews,
                "The event streams of this session have \(limit) combinations of selection and format, which is "
                    + "the limit. Use one of them, or close a stream first.")
        case .tooManyActorViews(let limit, let each):
            self.init(
                .tooManyViews,
                "The event streams of this session have \(limit) combinations of actor, selector and format, or \(each) "
                    + "of this actor, which are the limits. Close a stream first.")
        }
    }
}

extension SessionFailure.Rate {
    fileprivate var detail: String {
        switch self {
        case .requests: "This address has sent too many requests."
        case .sessions: "This address has created too many sessions."
        case .actions: "This session has got too many actions."
        case .signals: "This session has got too many signals from this sender."
        }
    }
}

// Problems are kept with entries of outboxes, so no text of a client makes them long.
extension String {
    /// The text, of which at most 64 code points are shown.
    fileprivate var cut: String {
        let limit = 64
        return unicodeScalars.prefix(limit + 1).count <= limit ? self : String(unicodeScalars.prefix(limit - 1)) + "…"
    }
}

extension JSONPointer {
    /// The pointer with cut names.
    fileprivate var cut: JSONPointer { JSONPointer(tokens: tokens.map(\.cut)) }
}
