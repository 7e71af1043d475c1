import HTTP
import HTTPServer
import JSON
import Observability
import Security
import Sessions
import StoreHosting
import Stores

/// `/sessions/{id}/shares`: makes and revokes the shares of a session.
struct ShareResource: Sendable {
    private static let revocation = SessionCall(
        .share, parse: { SessionRequest(.perform(PermitRevocation()), by: $0.credentials) },
        respond: { _, _ in Response(.noContent) })

    let access: SessionAccess
    let sealer: ClientSealer
    let clock: WallClock
    let basePath: String

    func create(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let body = try Self.body(context)
        let wanted = ShareCreation(
            permissions: Permissions(Share.permissions.filter { Self.names(body).contains($0.rawValue) }),
            selection: .text(body["select"]?.asString ?? ""),
            lifetime: body["expiresIn"]?.asInteger ?? Share.usualLifetime, clock: clock)
        let call = SessionCall(.share) { context in
            SessionRequest(.perform(wanted), by: context.credentials)
        } respond: { (result, _) throws(Problem) in
            guard case .permit(let permit) = result.content, let share = permit as? Share else {
                throw result.unexpected
            }
            return try response(share, select: body["select"]?.asString ?? "")
        }
        try access.answer(context, at: id, call)
    }

    private func response(_ share: Share, select: String) throws(Problem) -> Response {
        guard let text = sealer.seal(share) else { throw Problem(.permit(.unsealed)) }
        guard text.utf8.count <= ClientSealer.maxBytes else {
            throw Problem(
                .invalid(
                    [.init(pointer: JSONPointer(tokens: ["select"]), detail: "is too long for a share")], .longPermit))
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
                    if share.permissions.contains(.act) {
                        json.member("actions", path + "/actions")
                        json.member("signals", path + "/signals")
                    }
                    if share.permissions.contains(.read), share.permissions.contains(.presence) {
                        json.member("presence", path + "/presence")
                    }
                })
        }
        return json.finishLine()
    }

    private static func names(_ body: JSONValue) -> [String] {
        body["may"]?.asArray?.compactMap(\.asString) ?? [Permission.read.rawValue]
    }

    /// The body, which may be missing. The share must not allow more than the credentials do.
    private static func body(_ context: RequestContext) throws(Problem) -> JSONValue {
        let body = context.request.body.isEmpty ? [:] : try context.request.shortJSON()
        for name in body["may"]?.asArray ?? [.string(Permission.read.rawValue)] {
            if let permission = name.asSubject.flatMap(Permission.init(named:)) {
                try context.require(permission)
            }
        }
        let violations = Share.schema.validate(body)
        guard violations.isEmpty else { throw Problem(.invalid(violations, .permit)) }
        return body
    }

    /// Makes all shares of a session invalid, and ends their streams and waits. Answers 204 once it is durable.
    func revoke(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try access.answer(context, at: id, Self.revocation)
    }
}

extension Share {
    /// The body that makes a share.
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
