import JSON
package import StoreHosting
import Stores

/// An exported session, parsed and validated: every field is within its bounds, and all commits apply.
package struct ExportedSession {
    /// Every 256th state has a snapshot, so that earlier states are soon rebuilt.
    private static let snapshotDistance = 256

    /// It has a history of its own: the revisions of the exported session may have gone on to other states since.
    package private(set) var header: SessionHeader
    package let lastActiveAt: Int
    package let shareGeneration: Int
    /// Empty if the session gets a new id, which its shares do not open.
    package let permits: [PermitRecord]
    /// Empty if the session gets a new id: a client would send to both what it has sent to one.
    package let clients: [ClientRow]
    /// The oldest retained state; nil if it is the initial state.
    package private(set) var base: (revision: Int, state: StateSnapshot)?
    package private(set) var commits: [CommitRecord]
    /// States after some of the commits, by revision.
    package private(set) var snapshots: [Int: StateSnapshot] = [:]
    /// The state after the last commit.
    package private(set) var newest: StateSnapshot

    /// The newest revision.
    package var revision: Int { commits.last?.revision ?? base?.revision ?? 0 }

    package struct Unreadable: Error {
        package let detail: String
    }

    /// - Parameters:
    ///   - id: the new ID of the session; nil to keep its ID.
    ///   - progress: called repeatedly.
    package init(
        _ bytes: [UInt8], id: String?, _ progress: StorageProgress.Report = { _ in }
    ) throws(Unreadable) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes, maximumDepth: JSONValue.maxDepth)
        } catch {
            throw Unreadable(detail: "it is not JSON: \(error)")
        }
        guard json["format"]?.asString == "storehouse-session", json["version"]?.asInteger == 1 else {
            throw Unreadable(detail: "it is not a session exported by a compatible 'storehouse export'")
        }
        let document = Fields(json, "")
        try document.allow([
            "format", "version", "id", "store", "schema", "createdAt", "lastActiveAt", "forkedFrom", "owner",
            "personal",
            "shareGeneration", "shares", "clients", "history", "initial", "base", "commits",
        ])
        let ownID = try document.text("id")
        let initial = try document.initial()
        header = SessionHeader(
            id: id ?? ownID, kind: try document.text("store"),
            schema: try document.number("schema", 1...1_000_000), createdAt: try document.moment("createdAt"),
            forkedFrom: try document.number(ifPresent: "forkedFrom", Self.revisions),
            historyID: String(UInt64.random(in: .min ... .max), radix: 36),
            initial: initial,
            owner: json["owner"] == nil ? nil : Subject(try document.text("owner")),
            isPersonal: json["owner"] == nil ? false : try document.flag("personal"))
        shareGeneration = try document.number(ifPresent: "shareGeneration", Self.revisions) ?? 0
        permits = id == nil || id == ownID ? try document.permits() : []
        clients = id == nil || id == ownID ? try document.clients() : []
        lastActiveAt = try document.moment("lastActiveAt")
        base = try json["base"].map { base throws(Unreadable) in
            let base = Fields(base, "base/")
            try base.allow(["revision", "state", "hidden"])
            var state = try base.state()
            // Without one it is as at revision 0.
            state.privateState = state.privateState ?? initial.privateState
            return (try base.number("revision", 1...Self.revisions.upperBound), state)
        }
        commits = try Self.records(try document.array("commits"), after: base?.revision ?? 0)
        newest = base?.state ?? header.initial
        try replay(progress)
        if header.id != ownID { claimCalls(by: ownID) }
    }

    /// Parses a document, and asks whether the target's servers can use it; see `SQLiteStorage.insert`.
    package init(
        _ bytes: [UInt8], as id: String?, _ progress: StorageProgress.Report,
        _ objection: (SessionHeader, _ revision: Int, StateSnapshot) -> String?
    ) throws(StorageError) {
        do throws(Unreadable) {
            try self.init(bytes, id: id, progress)
        } catch {
            throw .refused("the document cannot be imported: \(error.detail)")
        }
        let oldest = base ?? (0, header.initial)
        if let objection = objection(header, oldest.revision, oldest.state) ?? objection(header, revision, newest) {
            throw .refused("the document cannot be imported: \(objection)")
        }
    }

    /// The revisions that JSON numbers represent exactly everywhere.
    fileprivate static let revisions = 0...(1 << 53 - 1)

    private static func records(
        _ elements: [JSONValue], after revision: Int
    ) throws(Unreadable) -> [CommitRecord] {
        guard elements.count <= revisions.upperBound - revision else {
            throw Unreadable(detail: "its revisions are too large")
        }
        var records: [CommitRecord] = []
        records.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            records.append(try Fields(element, "commits/\(index)/").commit(revision + index + 1))
        }
        return records
    }

    /// Has the calls of the newest state say that the exported session has begun them: it may still run, and this one is a copy.
    private mutating func claimCalls(by identity: String) {
        guard let before = newest.privateState else { return }
        let claimed = PendingCalls.claimed(before, by: identity)
        guard claimed != before else { return }
        newest.privateState = claimed
        if let last = commits.popLast() {
            commits.append(last.replacing(privateState: claimed))
            if snapshots[last.revision] != nil { snapshots[last.revision] = newest }
        } else if base != nil {
            base?.state = newest
        } else {
            header = header.beginning(with: newest)
        }
    }

    /// Applies all commits.
    private mutating func replay(_ progress: StorageProgress.Report) throws(Unreadable) {
        guard var state = try? JSONValue(parsing: newest.json, maximumDepth: JSONValue.maxDepth) else {
            throw Unreadable(detail: "its first state is malformed")
        }
        for (index, commit) in commits.enumerated() {
            progress(StorageProgress(.checkingCommits, index, of: commits.count))
            guard commit.changes.isEmpty || commit.changes.replay(on: &state) else {
                throw Unreadable(detail: "the patch of revision \(commit.revision) does not apply")
            }
            newest.privateState = commit.privateState ?? newest.privateState
            guard commit.revision.isMultiple(of: Self.snapshotDistance) || commit.revision == revision else { continue }
            newest.json = state.encoded()
            guard newest.json.count <= Fields.maxStateBytes,
                (try? JSONValue(parsing: newest.json, maximumDepth: JSONValue.maxDepth)) != nil
            else { throw Unreadable(detail: "the state of revision \(commit.revision) is too large or too deep") }
            if commit.revision.isMultiple(of: Self.snapshotDistance) { snapshots[commit.revision] = newest }
        }
    }
}

/// The members of one object of the document.
private struct Fields {
    static let maxStateBytes = 64 << 20
    private static let maxPayloadBytes = 16 << 20
    private static let maxActorBytes = 64 << 10
    private static let maxTermsBytes = 64 << 10
    /// The end of the year 9999, the last that a timestamp can have (RFC 3339).
    private static let maxMoment = 253_402_300_799_999

    private let json: JSONValue
    /// The place of the object in the document, for errors.
    private let place: String

    init(_ json: JSONValue, _ place: String) {
        self.json = json
        self.place = place
    }

    private func problem(_ name: String, _ detail: String) -> ExportedSession.Unreadable {
        .init(detail: "'\(place)\(name)' \(detail)")
    }

    /// Refuses members with other names: a later version may have written them, and they would be lost.
    func allow(_ names: Set<String>) throws(ExportedSession.Unreadable) {
        guard let unknown = json.asObject?.first(where: { !names.contains($0.name) })?.name else { return }
        throw problem(unknown, "is not a member that this version knows")
    }

    func number(_ name: String, _ range: ClosedRange<Int>) throws(ExportedSession.Unreadable) -> Int {
        guard let number = json[name]?.asInteger, range.contains(number) else {
            throw problem(name, "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func number(ifPresent name: String, _ range: ClosedRange<Int>) throws(ExportedSession.Unreadable) -> Int? {
        json[name] == nil ? nil : try number(name, range)
    }

    func flag(_ name: String) throws(ExportedSession.Unreadable) -> Bool {
        guard let flag = json[name]?.asBool else { throw problem(name, "must be true or false") }
        return flag
    }

    /// Milliseconds since 1970.
    func moment(_ name: String) throws(ExportedSession.Unreadable) -> Int { try number(name, 0...Self.maxMoment) }

    /// A name without control characters.
    func text(_ name: String) throws(ExportedSession.Unreadable) -> String {
        guard let text = json[name]?.asString, (1...256).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
        else { throw problem(name, "must be a text of 1 to 256 bytes without control characters") }
        return text
    }

    func array(_ name: String) throws(ExportedSession.Unreadable) -> [JSONValue] {
        guard let elements = json[name]?.asArray else { throw problem(name, "must be an array") }
        return elements
    }

    /// The shares of the session; none if none were named.
    func permits() throws(ExportedSession.Unreadable) -> [PermitRecord] {
        guard json["shares"] != nil else { return [] }
        var permits: [String: PermitRecord] = [:]
        for (index, element) in try array("shares").enumerated() {
            let fields = Fields(element, "shares/\(index)/")
            try fields.allow(["id", "terms"])
            let permit = try fields.permit()
            guard permits.updateValue(permit, forKey: permit.id) == nil else {
                throw fields.problem("id", "is that of another share too")
            }
        }
        return Array(permits.values)
    }

    private func permit() throws(ExportedSession.Unreadable) -> PermitRecord {
        let id = try text("id")
        guard id.utf8.count == PermitRecord.idLength, id.utf8.allSatisfy(\.isURLSafe) else {
            throw problem("id", "must be a text of \(PermitRecord.idLength) characters of URL-safe base64")
        }
        guard let terms = json["terms"], terms.asObject != nil, case let bytes = terms.encoded(),
            bytes.count <= Self.maxTermsBytes
        else { throw problem("terms", "must be an object of at most 64 KiB") }
        return PermitRecord(id: id, content: bytes)
    }

    /// The records of clients; none if none were named.
    func clients() throws(ExportedSession.Unreadable) -> [ClientRow] {
        guard json["clients"] != nil else { return [] }
        var clients: [String: ClientRow] = [:]
        for (index, element) in try array("clients").enumerated() {
            let fields = Fields(element, "clients/\(index)/")
            try fields.allow(["mark", "record"])
            let client = try fields.client()
            guard clients.updateValue(client, forKey: client.mark) == nil else {
                throw fields.problem("mark", "is that of another client too")
            }
        }
        return Array(clients.values)
    }

    private func client() throws(ExportedSession.Unreadable) -> ClientRow {
        let mark = try text("mark")
        guard mark.utf8.count == ClientRow.markLength, mark.utf8.allSatisfy(\.isURLSafe) else {
            throw problem("mark", "must be a text of \(ClientRow.markLength) characters of URL-safe base64")
        }
        guard let record = json["record"], record.asObject != nil, case let bytes = record.encoded(),
            bytes.count <= Self.maxTermsBytes
        else { throw problem("record", "must be an object of at most 64 KiB") }
        return ClientRow(mark: mark, content: bytes)
    }

    /// The state of revision 0.
    func initial() throws(ExportedSession.Unreadable) -> StateSnapshot {
        guard let object = json["initial"], object.asObject != nil else {
            throw problem("initial", "must be an object")
        }
        let fields = Fields(object, "\(place)initial/")
        try fields.allow(["state", "hidden"])
        return try fields.state()
    }

    func state() throws(ExportedSession.Unreadable) -> StateSnapshot {
        guard let state = json["state"]?.encoded(), state.count <= Self.maxStateBytes else {
            throw problem("state", "must be a state of at most 64 MiB")
        }
        return StateSnapshot(json: state, privateState: try privateState())
    }

    private func privateState() throws(ExportedSession.Unreadable) -> [UInt8]? {
        guard let state = json["hidden"] else { return nil }
        let bytes = state.encoded()
        guard state.asObject != nil, bytes.count <= Self.maxStateBytes else {
            throw problem("hidden", "must be an object of at most 64 MiB")
        }
        return bytes
    }

    /// - Parameter revision: the one that the commit must have made.
    func commit(_ revision: Int) throws(ExportedSession.Unreadable) -> CommitRecord {
        try allow(["revision", "at", "type", "payload", "origin", "cause", "changes", "hidden", "actor"])
        guard json["revision"]?.asInteger == revision else { throw problem("revision", "must be \(revision)") }
        guard let payload = json["payload"]?.asObject,
            JSONValue.object(payload).encoded().count <= Self.maxPayloadBytes
        else { throw problem("payload", "must be an object of at most 16 MiB") }
        guard let origin = json["origin"]?.asString.flatMap(Origin.init) else {
            throw problem("origin", "must be one of \(Origin.allCases.map(\.rawValue))")
        }
        let patch = json["changes"]?.encoded() ?? []
        guard patch.count <= Self.maxStateBytes, let changes = EncodedPatch(json: patch) else {
            throw problem("changes", "must be a JSON Patch of add, remove, replace and move of at most 64 MiB")
        }
        return CommitRecord(
            revision: revision, type: try text("type"), payload: payload, origin: origin, actor: try actor(),
            cause: try number(ifPresent: "cause", 0...(revision - 1)), committedAt: try moment("at"), changes: changes,
            privateState: try privateState())
    }

    /// The actor of a commit; nil if none was named.
    private func actor() throws(ExportedSession.Unreadable) -> Actor? {
        guard let json = json["actor"] else { return nil }
        try Fields(json, "\(place)actor/").allow(["kind", "id", "name", "roles"])
        let bytes = json.encoded()
        guard bytes.count <= Self.maxActorBytes, let actor = Actor(json: bytes), actor.kind != .system else {
            throw problem("actor", "must be a user, a guest or an anonymous actor")
        }
        return actor
    }
}

extension UInt8 {
    /// Whether it is a digit of URL-safe base64.
    fileprivate var isURLSafe: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
