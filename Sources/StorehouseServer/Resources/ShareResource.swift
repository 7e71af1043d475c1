import HTTP
import HTTPServer
import JSON
import Security
import StoreHosting
import Stores

/// `/sessions/{id}/shares`: makes and revokes the shares of a session.
struct ShareResource: Sendable {
    private static let revocation = SessionCall(
        .share, parse: { SessionRequest(.revokeShares, by: $0.credentials) },
        respond: { _, _ in Response(.noContent) })

    let access: SessionAccess
    let availability: Availability
    let sealer: ClientSealer
    let basePath: String

    func create(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try Problem.of(availability.requireServing)
        try context.head.requireJSONAcceptable()
        let body = try Self.body(context)
        let terms = SessionOperation.ShareTerms(
            permissions: Permissions(Share.permissions.filter { Self.names(body).contains($0.rawValue) }),
            selection: .text(body["select"]?.asString ?? ""),
            lifetime: body["expiresIn"]?.asInteger ?? Share.usualLifetime)
        let call = SessionCall(.share) { context in
            SessionRequest(.share(terms), by: context.credentials)
        } respond: { (result, _) throws(Problem) in
            guard case .share(let share) = result.content else { throw result.unexpected }
            return try response(share, select: body["select"]?.asString ?? "")
        }
        try access.answer(context, at: id, call)
    }

    private func response(_ share: Share, select: String) throws(Problem) -> Response {
        guard let text = sealer.seal(share) else { throw Problem(.share(.unsealed)) }
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
        let violations = RequestSchemas.share.validate(body)
        guard violations.isEmpty else { throw Problem(.invalid(violations, .share)) }
        return body
    }

    /// Makes all shares of a session invalid, and ends their streams and waits. Answers 204 once it is durable.
    func revoke(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try Problem.of(availability.requireStorage)
        try access.answer(context, at: id, Self.revocation)
    }
}
