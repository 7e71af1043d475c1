import HTTP
import JSON
import StoreHosting
import Stores

/// Shows the state of sessions, now or at an earlier revision.
final class StateAPI: Sendable {
    private let access: SessionAccess

    init(_ access: SessionAccess) { self.access = access }

    func read(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.authorizedSession(id, context, read)
    }

    private func read(_ session: Session, _ context: RequestContext) throws(Problem) {
        let selection = try context.head.selection(for: session.kind)
        let condition = try context.head.condition("if-none-match", "If-None-Match")
        let wanted = try context.head.number("revision", in: 0...Int.max)
        let newest = session.store.revision
        if let condition, newest == wanted ?? newest, condition.matchesWeakly(EntityTag(revision: newest)) {
            return context.answer(Self.notModified(newest), about: session)
        }
        guard let revision = wanted else {
            return context.answer(Self.document(session.store.read(selection)), about: session)
        }
        if revision == newest {
            let state = session.store.read(selection)
            // A commit may have come in between.
            if state.revision == revision { return context.answer(Self.document(state), about: session) }
        }
        let deferred = context.deferred
        session.state(at: revision) { found in
            deferred.resume { context throws(Problem) in
                let state = try found.get()
                if let condition, condition.matchesWeakly(EntityTag(revision: revision)) {
                    return context.answer(Self.notModified(revision))
                }
                let json = try Self.select(selection, of: state, session.kind)
                context.answer(Self.document(EncodedState(revision: revision, json: json)))
            }
        }
    }

    private static let fields = [Response.Field("Cache-Control", "private, no-cache")]

    private static func notModified(_ revision: Int) -> Response {
        Response(.notModified, fields: fields, revision: revision)
    }

    private static func document(_ state: EncodedState) -> Response {
        var json = JSONWriter(reservingCapacity: 1024)
        json.object { json in
            json.member("revision", state.revision)
            json.member("state", raw: state.json)
        }
        return .document(json.finish(), revision: state.revision, fields: fields)
    }

    private static func select(
        _ selection: Selection, of state: StateSnapshot, _ kind: StoreKind
    ) throws(Problem) -> [UInt8] {
        do {
            return try kind.select(selection, of: state)
        } catch {
            throw Problem(.internalError, "This release of the store cannot read the revision: \(error).")
        }
    }
}
