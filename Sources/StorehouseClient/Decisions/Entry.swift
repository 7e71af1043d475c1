package import JSON

/// Actions of an outbox that commit together.
package struct Entry: Sendable, Hashable {
    /// Names the entry before it has a number.
    package let key: Int
    /// The bodies of the actions.
    package let actions: [JSONValue]
    /// The revision and the history in which alone it may be run; nil for any.
    package let ifMatch: String?
    /// Whether it must not be written to disk.
    package let isSecret: Bool
    /// The entry as `sync` takes it.
    package let bytes: [UInt8]
    /// Its place in the outbox; nil until it is stored.
    package var number: Int?
    /// The decision of the server; nil until it is known.
    package var result: EntryResult?

    package init(
        key: Int, actions: [JSONValue], ifMatch: String? = nil, isSecret: Bool = false, number: Int? = nil
    ) {
        self.key = key
        self.actions = actions
        self.ifMatch = ifMatch
        self.isSecret = isSecret
        bytes = Self.encoded(actions, ifMatch)
        self.number = number
    }

    /// The name of the outcome, as an entry that is no longer pending tells it.
    ///
    /// - Parameter error: the reason, if it has no result.
    package func outcome(_ error: (any Error)?) -> String {
        if error is OutcomeUnknown { return "unknown" }
        if error is ConnectionEnded { return "ended" }
        return result?.outcome.rawValue ?? "lost"
    }

    private static func encoded(_ actions: [JSONValue], _ ifMatch: String?) -> [UInt8] {
        var json: JSONObject = ["actions": .array(actions)]
        if let ifMatch { json["ifMatch"] = .string(ifMatch) }
        return JSONValue.object(json).encoded()
    }
}

/// The decision of the server on an entry.
package struct EntryResult: Sendable, Hashable {
    package enum Outcome: String, Sendable {
        case committed, ignored, rejected, mismatched, refused
    }

    package let number: Int
    package let outcome: Outcome
    /// That at which it was decided.
    package let revision: Int
    /// The names of the effects that it has started.
    package var effects: [String] = []
    /// The body that a single request would have got; nil for one that was committed or ignored.
    package var problem: JSONValue?
    /// The history in which it was decided.
    package var history: String?
    /// Whether that history is gone, so that the revision will never come.
    package var isExpired = false

    package init(number: Int, outcome: Outcome, revision: Int, problem: JSONValue? = nil) {
        self.number = number
        self.outcome = outcome
        self.revision = revision
        self.problem = problem
    }

    /// A result of `sync`; nil if it has another form.
    package init?(_ json: JSONValue, history: String?) {
        guard let number = json["n"]?.asInteger, let outcome = json["outcome"]?.asString.flatMap(Outcome.init),
            let revision = json["revision"]?.asInteger
        else { return nil }
        self.init(number: number, outcome: outcome, revision: revision, problem: json["problem"])
        effects = json["effects"]?.asArray?.compactMap(\.asString) ?? []
        self.history = history
    }
}
