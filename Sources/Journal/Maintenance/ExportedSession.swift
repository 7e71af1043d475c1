import JSON
import StoreHosting
import Stores

/// An exported session, parsed and validated.
struct ExportedSession {
    let record: SessionHeader
    let lastActiveAt: Int
    /// The oldest retained state; nil if it is the initial state.
    let base: (revision: Int, state: StateSnapshot)?
    let commits: [CommitRecord]

    struct Unreadable: Error {
        let detail: String
    }

    /// - Parameter id: the new ID of the session; nil to keep its ID.
    init(_ bytes: [UInt8], id: String?) throws(Unreadable) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes, maximumDepth: JSONValue.maxDepth)
        } catch {
            throw Unreadable(detail: "it is not JSON: \(error)")
        }
        guard json["format"]?.asString == "storehouse-session", json["version"]?.asInteger == 1 else {
            throw Unreadable(detail: "it is not a session exported by a compatible 'storehouse export'")
        }
        guard let id = id ?? json["id"]?.asString, let kind = json["store"]?.asString,
            let schema = json["schema"]?.asInteger, let createdAt = json["createdAt"]?.asInteger,
            let lastActiveAt = json["lastActiveAt"]?.asInteger, let history = json["history"]?.asString,
            let initial = json["initial"].flatMap(StateSnapshot.init), case .array(let elements)? = json["commits"]
        else { throw Unreadable(detail: "required members are missing or malformed") }
        record = SessionHeader(
            id: id, kind: kind, schema: schema, createdAt: createdAt, forkedFrom: json["forkedFrom"]?.asInteger,
            historyID: history, initial: initial)
        self.lastActiveAt = lastActiveAt
        base = try json["base"].map { base throws(Unreadable) in
            guard let revision = base["revision"]?.asInteger, revision > 0, let state = StateSnapshot(base) else {
                throw Unreadable(detail: "'base' is malformed")
            }
            return (revision, state)
        }
        commits = try Self.records(elements, after: base?.revision ?? 0)
    }

    private static func records(
        _ elements: [JSONValue], after revision: Int
    ) throws(Unreadable) -> [CommitRecord] {
        var records: [CommitRecord] = []
        records.reserveCapacity(elements.count)
        for element in elements {
            let last = records.last?.revision ?? revision
            guard let record = CommitRecord(element), record.revision - 1 == last else {
                throw Unreadable(detail: "the commit after revision \(last) is malformed or does not follow it")
            }
            records.append(record)
        }
        return records
    }
}

extension StateSnapshot {
    fileprivate init?(_ json: JSONValue) {
        guard let state = json["state"] else { return nil }
        self.init(json: state.encoded(), privateState: json["hidden"]?.encoded())
    }
}

extension CommitRecord {
    fileprivate init?(_ json: JSONValue) {
        guard let revision = json["revision"]?.asInteger, let committedAt = json["at"]?.asInteger,
            let type = json["type"]?.asString, let payload = json["payload"]?.asObject,
            let origin = json["origin"]?.asString.flatMap(Origin.init),
            let changes = json["changes"].flatMap({ EncodedPatch(json: $0.encoded()) })
        else { return nil }
        self.init(
            revision: revision, type: type, payload: payload, origin: origin, cause: json["cause"]?.asInteger,
            committedAt: committedAt,
            changes: changes, privateState: json["hidden"]?.encoded())
    }
}
