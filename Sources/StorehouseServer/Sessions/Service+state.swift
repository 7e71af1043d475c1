import HTTP
import JSON
import Stores

extension Service {
    func readState(_ id: PathSegment, _ head: RequestHead) throws(Problem) -> Response {
        let session = try session(id)
        let selection = try Self.selection(head, session.kind)
        let condition = try Self.condition(head.fields.values("if-none-match"), "If-None-Match")
        let fields = [Response.Field("Cache-Control", "private, no-cache")]
        let wanted = try Self.number("revision", in: head, 0...Int.max)
        let past = try wanted.map { (revision) throws(Problem) in try session.past(revision, selection) }
        if let condition {
            let revision = past?.revision ?? session.store.revision
            if condition.matchesWeakly(EntityTag(revision: revision)) {
                return Response(.notModified, fields: fields, revision: revision)
            }
        }
        let found = past ?? session.store.read(selection)
        var json = JSONWriter(reservingCapacity: 1024)
        json.object { json in
            json.member("revision", found.revision)
            json.member("state", raw: found.json)
        }
        return .document(json.finish(), revision: found.revision, fields: fields)
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
