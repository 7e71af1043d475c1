import Access
import HTTP
import HTTPServer
import JSON
import Observability
import RemoteServices
import StoreHosting
import Stores

/// Makes and revokes the shares of sessions.
final class ShareAPI: Sendable {
    private let access: SessionAccess
    private let availability: Availability
    private let sealer: ClientSealer
    private let basePath: String
    private let clock: WallClock

    init(
        _ access: SessionAccess, _ availability: Availability, _ sealer: ClientSealer, basePath: String,
        clock: WallClock
    ) {
        self.access = access
        self.availability = availability
        self.sealer = sealer
        self.basePath = basePath
        self.clock = clock
    }

    func create(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try availability.requireServing()
        try context.head.requireJSONAcceptable()
        let body = try Self.body(context)
        try access.authorizedSession(id, for: .share, context) { [self] (session, context) throws(Problem) in
            context.answer(try create(body, session), about: session)
        }
    }

    private func create(_ body: JSONValue, _ session: Session) throws(Problem) -> Response {
        let names = body["may"]?.asArray?.compactMap(\.asString) ?? [Permission.read.rawValue]
        let permissions = Permissions(Share.permissions.filter { names.contains($0.rawValue) })
        let select = body["select"]?.asString ?? ""
        let lifetime = body["expiresIn"]?.asInteger ?? Share.usualLifetime
        let share = Share(
            session.id, permissions, select.isEmpty ? .root : try session.kind.selection(select),
            expiresAt: clock.now() + lifetime * 1000, generation: session.shareGeneration)
        guard let text = sealer.seal(share) else {
            throw Problem(.share(.unsealed))
        }
        guard text.utf8.count <= ClientSealer.maxBytes else {
            throw Problem(
                .invalid(
                    [.init(pointer: JSONPointer(tokens: ["select"]), detail: "is too long for a share")], .longShare))
        }
        return .document(
            document(share, text, select: select), .created, fields: [.init("Cache-Control", "no-store")])
    }

    private func document(_ share: Share, _ text: String, select: String) -> [UInt8] {
        let path = "\(basePath)/shared/\(text)"
        var json = JSONWriter(reservingCapacity: 512 + 3 * text.utf8.count)
        json.object { json in
            json.member("share", text)
            json.member("may", share.permissions.names)
            json.member("select", select)
            json.member("expiresAt", Timestamp.rfc3339(share.expiresAt))
            json.member(
                "links",
                object: { json in
                    if share.permissions.contains(.read) {
                        json.member("state", path + "/state")
                        json.member("events", path + "/events")
                    }
                    if share.permissions.contains(.act) { json.member("actions", path + "/actions") }
                })
        }
        return json.finishLine()
    }

    /// The body, which may be missing. The share must not allow more than the credentials do.
    private static func body(_ context: RequestContext) throws(Problem) -> JSONValue {
        let body = context.request.body.isEmpty ? [:] : try context.request.shortJSON()
        for name in body["may"]?.asArray ?? [.string(Permission.read.rawValue)] {
            if let permission = name.asSubject.flatMap(Permission.init(named:)) {
                try context.credentials.require(permission)
            }
        }
        let violations = schema.validate(body)
        guard violations.isEmpty else {
            throw Problem(.invalid(violations, .share))
        }
        return body
    }

    /// The schema of the body that makes a share.
    static let schema = JSONSchema.object([
        .optional(
            "may",
            .array(of: .enumeration(Share.permissions.map(\.rawValue)), minItems: 1, maxItems: 8)
                .described("What the share allows.").defaulting(to: [.string(Permission.read.rawValue)])),
        .optional(
            "select",
            .string().described("The part of the state that it shows: a JSON Pointer, or the name of a selector.")
                .defaulting(to: "")),
        .optional(
            "expiresIn",
            .integer(Share.lifetimes).described("For how many seconds it is valid.")
                .defaulting(to: .integer(Share.usualLifetime))),
    ])
}

// Revoking.
extension ShareAPI {
    /// Makes all shares of a session invalid, and ends their streams and waits.
    func revoke(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try availability.requireStorage()
        try access.authorizedSession(id, for: .share, context, revoke)
    }

    /// Answers 204 once it is durable.
    private func revoke(_ session: Session, _ context: RequestContext) {
        session.revokeShares()
        let deferred = context.deferred
        session.whenDurable { [self] failure in
            if let failure { return deferred.answer { Problem(failure).response } }
            // It hibernated since it was found. Later in the loop it can be found again.
            if session.continuesElsewhere {
                return deferred.resumeInLaterTurn { [self] context throws(Problem) in
                    try access.authorizedSession(session.id, for: .share, context, revoke)
                }
            }
            session.events.endRevoked()
            session.existingShareWaits?.endRevoked()
            deferred.answer { Response(.noContent) }
        }
    }
}
