import HTTP
import JSON
import StoreHosting
import Stores

extension Service {
    func readState(_ session: Session, _ call: Call) throws(Problem) {
        let selection = try Self.selection(call.head, session.kind)
        let condition = try Self.condition(call.head.fields.values("if-none-match"), "If-None-Match")
        let wanted = try Self.number("revision", in: call.head, 0...Int.max)
        let present = session.store.revision
        if let condition, present == wanted ?? present, condition.matchesWeakly(EntityTag(revision: present)) {
            return call.answer(Self.unchanged(present), about: session)
        }
        guard let revision = wanted else {
            return call.answer(Self.answer(session.store.read(selection)), about: session)
        }
        if revision == present {
            let found = session.store.read(selection)
            // By now there may be a later one.
            if found.revision == revision { return call.answer(Self.answer(found), about: session) }
        }
        let later = call.later
        session.past(revision) { found in
            later.resume { call throws(Problem) in
                let state = try found.get()
                if let condition, condition.matchesWeakly(EntityTag(revision: revision)) {
                    return call.answer(Self.unchanged(revision))
                }
                let json = try Self.select(selection, of: state, session.kind)
                call.answer(Self.answer(EncodedState(revision: revision, json: json)))
            }
        }
    }

    private static let stateFields = [Response.Field("Cache-Control", "private, no-cache")]

    private static func unchanged(_ revision: Int) -> Response {
        Response(.notModified, fields: stateFields, revision: revision)
    }

    private static func answer(_ found: EncodedState) -> Response {
        var json = JSONWriter(reservingCapacity: 1024)
        json.object { json in
            json.member("revision", found.revision)
            json.member("state", raw: found.json)
        }
        return .document(json.finish(), revision: found.revision, fields: stateFields)
    }

    private static func select(
        _ selection: Selection, of state: StateSnapshot, _ kind: StoreKind
    ) throws(Problem) -> [UInt8] {
        do {
            return try kind.select(selection, of: state)
        } catch {
            throw Problem(.internalError, "This revision cannot be read by this release of the store: \(error).")
        }
    }

    /// What `?select=` asks for.
    static func selection(_ head: RequestHead, _ kind: @autoclosure () -> StoreKind) throws(Problem) -> Selection {
        guard let text = head.query.first("select"), !text.isEmpty else { return .whole }
        let kind = kind()
        if kind.selectors.contains(where: { $0.name == text }) { return .named(text) }
        do throws(JSONPointerError) {
            return .pointer(try JSONPointer(text))
        } catch {
            let named = kind.selectors.map(\.name).joined(separator: ", ")
            let hint = named.isEmpty ? "" : " This store's named selectors are: \(named)."
            throw Problem(.malformedPointer, "select must be a JSON Pointer such as /counter/count. \(error)\(hint)")
        }
    }

    /// What `?name=true` or `false` says; false where it is not there.
    static func flag(_ name: String, in head: RequestHead) throws(Problem) -> Bool {
        switch head.query.first(name) {
        case nil, "false": return false
        case "true": return true
        default: throw Problem(.malformedRequest, "\(name) must be true or false.")
        }
    }

    static func condition(_ lines: [String], _ name: String) throws(Problem) -> EntityTagCondition? {
        do throws(FieldError) {
            return try EntityTagCondition(lines)
        } catch {
            throw Problem(.malformedRequest, "\(name) must be * or entity tags in quotes, such as \"3\".")
        }
    }
}
