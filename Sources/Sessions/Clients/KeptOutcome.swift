package import JSON

/// The outcome of an entry, as the record of its client keeps it.
package struct KeptOutcome: Sendable, Equatable {
    /// The longest problem that is kept.
    static let maxProblemBytes = 512

    package enum Decision: Sendable, Equatable {
        /// With the names of the effects that it has started.
        case committed(effects: [String])
        case ignored
        /// - Parameter index: of the action; nil if the entry has one.
        case rejected(reason: String, index: Int?)
        /// The revision was not one of those that the entry names.
        case mismatched
        /// - Parameter problem: a JSON object.
        case refused(problem: [UInt8])
    }

    /// Nil if the hash was made with another key: then each entry counts as equal, because a repeat after an import is likelier
    /// than another entry under the same number.
    package fileprivate(set) var hash: EntryHash?
    /// The revision at which the outcome was decided.
    package let revision: Int
    package let decision: Decision

    package init(_ hash: EntryHash?, revision: Int, _ decision: Decision) {
        self.hash = hash
        self.revision = revision
        self.decision = decision
    }

    func mayBe(of entry: EntryHash) -> Bool { hash == nil || hash == entry }
}

// The stored form: `{"h":HASH,"r":REVISION}` for one that is committed, and a member more that tells all others.
extension KeptOutcome: JSONEncodable {
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("h", ifPresent: hash?.text)
            json.member("r", revision)
            switch decision {
            case .committed(let effects): json.member("e", ifPresent: effects.isEmpty ? nil : effects)
            case .ignored: json.member("i", true)
            case .rejected(let reason, let index):
                json.member("x", reason)
                json.member("n", ifPresent: index)
            case .mismatched: json.member("m", true)
            case .refused(let problem): json.member("p", raw: problem)
            }
        }
    }

    /// Nil if this program cannot read it.
    init?(_ json: JSONValue, hasHash: Bool) {
        guard let revision = json["r"]?.asInteger, let decision = Decision(json) else { return nil }
        self.init(hasHash ? json["h"]?.asString.flatMap(EntryHash.init(text:)) : nil, revision: revision, decision)
    }
}

extension KeptOutcome.Decision {
    fileprivate init?(_ json: JSONValue) {
        if let problem = json["p"] {
            guard problem.asObject != nil else { return nil }
            self = .refused(problem: problem.encoded())
        } else if let reason = json["x"] {
            guard let text = reason.asString else { return nil }
            self = .rejected(reason: text, index: json["n"]?.asInteger)
        } else if json["m"] != nil {
            self = .mismatched
        } else if json["i"] != nil {
            self = .ignored
        } else {
            let names = json["e"]?.asArray ?? []
            let effects = names.compactMap(\.asString)
            guard effects.count == names.count else { return nil }
            self = .committed(effects: effects)
        }
    }
}
