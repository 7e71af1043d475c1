import HTTP
import HTTPServer
import JSON
import Observability
import Security
import Sessions
import Stores

/// `/sessions/{id}/shares`, and below it: makes, lists and revokes the shares of a session.
struct ShareResource: Sendable {
    private static let revocation = SessionCall(
        .share, parse: { SessionRequest(.perform(PermitRevocation()), by: $0.credentials) }, respond: revoked)
    private static let singleRevocation = SessionCall(
        .share,
        parse: { context throws(Problem) in
            SessionRequest(.perform(PermitRevocation(of: lastSegment(context.head))), by: context.credentials)
        }, respond: revoked)
    private static let list = SessionCall(
        .share, parse: { SessionRequest(.perform(ShareList()), by: $0.credentials) }, respond: listed)

    let access: SessionAccess
    let sealer: ClientSealer
    let clock: WallClock
    let basePath: String

    func create(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let wish = try ShareCreation.Wish(of: context)
        let call = SessionCall(.share) { context throws(Problem) in
            guard sealer.canSealShares else { throw Problem(.permit(.unsealed)) }
            return SessionRequest(
                .perform(ShareCreation(wish, by: context.credentials, clock: clock)), by: context.credentials)
        } respond: { (result, _) throws(Problem) in
            guard case .permits(let made) = result.content, let terms = made.first else { throw result.unexpected }
            return try response(Share(result.session.id, terms), terms)
        }
        try access.answer(context, at: id, call)
    }

    private func response(_ share: Share, _ terms: PermitTerms) throws(Problem) -> Response {
        guard let text = sealer.seal(share) else { throw Problem(.permit(.unsealed)) }
        let path = "\(basePath)/shared/\(text)"
        var json = JSONWriter(reservingCapacity: 512 + 4 * text.utf8.count)
        json.object { json in
            json.member("share", text)
            json.add(terms)
            json.member(
                "links",
                object: { json in
                    if terms.permissions.contains(.read) {
                        json.member("state", path + "/state")
                        json.member("events", path + "/events")
                    }
                    if terms.permissions.contains(.act) {
                        json.member("actions", path + "/actions")
                        json.member("sync", path + "/sync")
                        json.member("signals", path + "/signals")
                    }
                    if terms.permissions.contains(.read), terms.permissions.contains(.presence) {
                        json.member("presence", path + "/presence")
                    }
                })
        }
        return .document(json.finishLine(), .created, fields: [.init("Cache-Control", "no-store")])
    }

    /// Lists the shares without their texts.
    func list(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.answer(context, at: id, Self.list)
    }

    private static func listed(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        guard case .permits(let found) = result.content else { throw result.unexpected }
        var json = JSONWriter(reservingCapacity: 256 * (found.count + 1))
        json.object { json in
            json.member(
                "shares",
                array: { json in
                    for terms in found {
                        json.object { json in
                            json.add(terms)
                            json.member("createdAt", Timestamp.rfc3339(terms.madeAt))
                        }
                    }
                })
        }
        return .document(json.finishLine(), fields: [.init("Cache-Control", "no-store")])
    }

    /// Makes all shares of a session invalid, and ends their streams and waits. Answers 204 once it is durable.
    func revoke(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try access.answer(context, at: id, Self.revocation)
    }

    /// Makes the share that the path names invalid, and ends its streams and waits. Answers 204 once it is durable.
    func revokeOne(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try access.answer(context, at: id, Self.singleRevocation)
    }

    private static func revoked(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        guard case .done = result.content else { throw result.unexpected }
        return Response(.noContent)
    }

    /// The id of the share that a path ends with.
    private static func lastSegment(_ head: RequestHead) -> String {
        var (path, last) = (head.path, "")
        while let next = path.next() { last = String(decoding: next.decoded, as: UTF8.self) }
        return last
    }
}

extension JSONWriter {
    /// Writes the members that are shown of the terms of a share.
    fileprivate mutating func add(_ terms: PermitTerms) {
        member("id", terms.id)
        member("may", terms.permissions.names)
        member("select", terms.selection)
        member("actions", ifPresent: terms.actions?.map(\.text))
        if let holder = terms.holder {
            member(
                "as",
                object: { json in
                    json.member("id", ShareCreation.Wish.givenID(of: holder))
                    json.member("name", ifPresent: holder.name)
                    json.member("roles", holder.roles)
                })
        }
        member("label", ifPresent: terms.label)
        member("expiresAt", Timestamp.rfc3339(terms.expiresAt))
    }
}
