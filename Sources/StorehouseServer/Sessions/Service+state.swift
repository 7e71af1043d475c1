import HTTP
import JSON
import Stores

extension Service {
    func readState(_ id: PathSegment, _ head: RequestHead) throws(Problem) -> Response {
        let session = try session(id)
        try Self.refuse("revision", of: head)
        let selection = try Self.selection(head, session.kind)
        let condition = try Self.condition(head.fields.values("if-none-match"), "If-None-Match")
        let fields = [Response.Field("Cache-Control", "private, no-cache")]
        if let condition {
            let revision = session.store.revision
            if condition.matchesWeakly(EntityTag(revision: revision)) {
                return Response(.notModified, fields: fields + [.revision(revision)])
            }
        }
        let found = session.store.read(selection)
        var json = JSONWriter(reservingCapacity: 1024)
        json.object { json in
            json.member("revision", found.revision)
            json.member("state", raw: found.json)
        }
        return .document(json.finish(), revision: found.revision, fields: fields)
    }

    /// What `?select=` asks for.
    static func selection(_ head: RequestHead, _ kind: StoreKind) throws(Problem) -> Selection {
        guard let text = head.query.first("select"), !text.isEmpty else { return .whole }
        if kind.selectors.contains(where: { $0.name == text }) { return .named(text) }
        do throws(JSONPointerError) {
            return .pointer(try JSONPointer(text))
        } catch {
            let named = kind.selectors.map(\.name).joined(separator: ", ")
            let hint = named.isEmpty ? "" : " This store's named selectors are: \(named)."
            throw Problem(.malformedPointer, "select must be a JSON Pointer such as /counter/count. \(error)\(hint)")
        }
    }

    static func condition(_ lines: [String], _ name: String) throws(Problem) -> EntityTagCondition? {
        do throws(FieldError) {
            return try EntityTagCondition(lines)
        } catch {
            throw Problem(.malformedRequest, "\(name) must be * or entity tags in quotes, such as \"3\".")
        }
    }

    /// Refuses what the contract has and this server has not, rather than doing something else in its place.
    static func refuse(_ parameter: String, of head: RequestHead) throws(Problem) {
        guard head.query.first(parameter) != nil else { return }
        throw Problem(.notImplemented, "This server does not do ?\(parameter)= yet; leave it out.")
    }
}
