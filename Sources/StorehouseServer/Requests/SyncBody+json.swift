import HTTP
import JSON
import Sessions

extension SyncBody {
    /// Reads a parsed body. The actions are looked at when they are run: one that is none is refused then, and the others are not.
    init(_ json: JSONValue) throws(SessionFailure) {
        var violations = RequestSchemas.sync.validate(json)
        guard violations.isEmpty, let client = json["client"]?.asString, let from = json["from"]?.asInteger else {
            throw .invalid(violations, .sync)
        }
        let entries = json["entries"]?.asArray ?? []
        let isNew = json["new"]?.asBool ?? false
        func require(_ condition: Bool, _ detail: String, at pointer: String...) {
            if !condition { violations.append(.init(pointer: JSONPointer(tokens: pointer), detail: detail)) }
        }
        let isID = client.utf8.allSatisfy(\.isURLSafeBase64)
        require(isID, "must be URL-safe base64: letters, digits, - and _", at: "client")
        require(!isNew || from == 1, "must be 1 if new is true", at: "from")
        require(!isNew || entries.isEmpty, "must be empty if new is true", at: "entries")
        let last = RequestSchemas.maxEntryNumber
        require(from <= last - max(0, entries.count - 1), "must have no number beyond \(last)", at: "entries")
        var parsed: [Entry] = []
        for (index, entry) in entries.enumerated() {
            let condition = entry["ifMatch"]?.asString
            let tags = condition.map(EntityTagCondition.init(inJSON:))
            if case .some(.none) = tags {
                require(false, "must be an entity tag, such as 8.lq0m725x", at: "entries", String(index), "ifMatch")
            }
            let expected = (tags ?? nil).map { RevisionSet($0) { !$0.isWeak } }
            parsed.append(Entry(entry["actions"]?.asArray ?? [], ifMatch: condition, expected))
        }
        guard violations.isEmpty else { throw .invalid(violations, .sync) }
        self.init(client: client, isNew: isNew, from: from, entries: parsed)
    }
}

extension EntityTagCondition {
    /// Reads what If-Match takes, and a tag without its quotes; nil for any other text.
    fileprivate init?(inJSON text: String) {
        let condition = (try? EntityTagCondition([text])) ?? (try? EntityTagCondition(["\"\(text)\""]))
        guard let condition else { return nil }
        self = condition
    }
}

extension UInt8 {
    fileprivate var isURLSafeBase64: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
