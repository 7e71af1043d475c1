import JSON

/// Actions of an outbox that commit together.
struct Entry: Sendable, Hashable {
    /// Names the entry before it has a number.
    let key: Int
    /// The bodies of the actions.
    var actions: [JSONValue]
    /// The revision and the history in which alone it may be run; nil for any.
    var ifMatch: String?
    /// Whether it must not be written to disk.
    var isSecret = false
    /// The bytes of the entry as JSON.
    var size: Int
    /// Its place in the outbox; nil until it is stored.
    var number: Int?
    /// The decision of the server; nil until it is known.
    var result: EntryResult?

    /// What became of it.
    ///
    /// - Parameter error: the reason, if it has no result.
    func outcome(_ error: (any Error)?) -> String {
        if error is OutcomeUnknown { return "unknown" }
        if error is ConnectionEnded { return "ended" }
        return result?.outcome.rawValue ?? "lost"
    }

    /// The entry as `sync` takes it.
    var json: JSONValue { Self.json(actions, ifMatch) }

    static func json(_ actions: [JSONValue], _ ifMatch: String?) -> JSONValue {
        var json: JSONObject = ["actions": .array(actions)]
        if let ifMatch { json["ifMatch"] = .string(ifMatch) }
        return .object(json)
    }
}

/// The decision of the server on an entry.
struct EntryResult: Sendable, Hashable {
    enum Outcome: String, Sendable {
        case committed, ignored, rejected, mismatched, refused
    }

    let number: Int
    let outcome: Outcome
    /// That at which it was decided.
    let revision: Int
    /// The names of the effects that it has started.
    var effects: [String] = []
    /// The body that a single request would have got; nil for one that was committed or ignored.
    var problem: JSONValue?
    /// The history in which it was decided.
    var history: String?
    /// Whether that history is gone, so that the revision will never come.
    var isExpired = false

    var isRefusal: Bool { outcome != .committed && outcome != .ignored }

    init(number: Int, outcome: Outcome, revision: Int, problem: JSONValue? = nil) {
        self.number = number
        self.outcome = outcome
        self.revision = revision
        self.problem = problem
    }

    /// A result of `sync`; nil if it has another form.
    init?(_ json: JSONValue, history: String?) {
        guard let number = json["n"]?.asInteger, let outcome = json["outcome"]?.asString.flatMap(Outcome.init),
            let revision = json["revision"]?.asInteger
        else { return nil }
        self.init(number: number, outcome: outcome, revision: revision, problem: json["problem"])
        effects = json["effects"]?.asArray?.compactMap(\.asString) ?? []
        self.history = history
    }
}
