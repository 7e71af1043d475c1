import HTTP
import JSON
import Locks
import StoreHosting
import Stores

extension Service {
    /// The session documents a page at a time, for who has the admin token.
    func listSessions(_ call: Call) throws(Problem) {
        try requireAdmin(call.head)
        let limit = try Self.number("limit", in: call.head, Self.pageSizes) ?? Self.usualPageSize
        var after: SessionID?
        if let text = call.head.query.first("after") {
            guard let id = SessionID(text.utf8) else {
                throw Problem(.malformedRequest, "after must be the id of a session.")
            }
            after = id
        }
        // One more than is shown tells whether there are more.
        let resident = registry.list(after: after, limit: limit + 1)
        let later = call.later
        guard let journal else { return call.answer(page(resident.map { (.resident($0)) }, limit)) }
        journal.list(after: after?.description, limit: limit + 1) { [self] found in
            later.resume { [self] call throws(Problem) in
                let kept = try found.mapError(Problem.init).get()
                call.answer(page(Self.merged(resident, kept), limit))
            }
        }
    }

    private enum Listed {
        case resident(Session)
        case resting(SessionSummary)

        var id: String {
            switch self {
            case .resident(let session): session.id.description
            case .resting(let kept): kept.record.id
            }
        }
    }

    /// Those in memory and those that rest, each once.
    private static func merged(_ resident: [Session], _ kept: [SessionSummary]) -> [Listed] {
        let known = Set(resident.map(\.id.description))
        var all = resident.map(Listed.resident)
        all += kept.filter { !known.contains($0.record.id) }.map(Listed.resting)
        return all.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    private func page(_ sessions: [Listed], _ limit: Int) -> Response {
        let page = sessions.prefix(limit)
        var json = JSONWriter(reservingCapacity: 128 + page.count * 400)
        json.object { json in
            json.name("sessions")
            json.array { json in
                for session in page { json.value(document(session)) }
            }
            json.member("next", sessions.count > limit ? page.last?.id : nil)
        }
        return .document(json.finish(), fields: [.init("Cache-Control", "no-store")])
    }

    private func document(_ listed: Listed) -> SessionDocument {
        switch listed {
        case .resident(let session): document(session, session.store.revision, state: nil)
        case .resting(let kept): SessionDocument(resting: kept, idleTimeout: settings.sessions.idleTimeout)
        }
    }

    /// Refuses who has no admin token (RFC 6750).
    func requireAdmin(_ head: RequestHead) throws(Problem) {
        let credentials = head.fields.values("authorization").first?.split(separator: " ", maxSplits: 1) ?? []
        guard credentials.count == 2, credentials[0].lowercased() == "bearer" else {
            throw Problem(.unauthorized, "This needs Authorization: Bearer and the admin token.")
                .with(.init("WWW-Authenticate", "Bearer realm=\"admin\""))
        }
        guard !settings.adminToken.isEmpty, Self.areEqual(credentials[1].utf8, settings.adminToken.utf8) else {
            throw Problem(.unauthorized, "The token is not the admin token of this server.")
                .with(.init("WWW-Authenticate", "Bearer realm=\"admin\", error=\"invalid_token\""))
        }
    }

    /// Takes as long wherever the difference is, so that nobody guesses the token byte by byte.
    private static func areEqual(_ given: Substring.UTF8View, _ token: String.UTF8View) -> Bool {
        var difference = UInt8(given.count == token.count ? 0 : 1)
        for (given, byte) in zip(given, token) { difference |= given ^ byte }
        return difference == 0
    }
}

extension Service {
    /// Answers at `/`: the inspector page to who likes HTML best, as browsers do, and to everybody else the links.
    ///
    /// Where the page is switched off, the links are for all who would have got it.
    func readIndex(_ call: Call) throws(Problem) {
        let accept = AcceptHeader(call.head.fields.values("accept"))
        // Of what is taken as gladly, the first: `*/*` gets the links.
        guard let accepted = accept.preferred(of: Self.indexForms) else {
            throw Problem(.notAcceptable, "This resource is application/json and text/html; let Accept include one.")
        }
        guard settings.hasInspector else { return call.answer(.document(documents.index)) }
        var response = accepted.type == "text" ? InspectorPage.response() : .document(documents.index)
        response.fields.append(.init("Vary", "Accept"))
        call.answer(response)
    }

    private static let indexForms = [MediaType("application/json"), MediaType("text/html; charset=utf-8")]
        .compactMap(\.self)
}
