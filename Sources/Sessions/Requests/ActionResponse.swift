import JSON
package import StoreHosting
import Stores

/// The response to an action, without the state that it shows: what an idempotency record remembers.
///
/// The state is read again from its revision when the response is replayed, so a record is small however large the
/// state is.
package struct ActionResponse: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        case committed
        case ignored
        /// The reducer rejected the action; of a batch, the one at `index`.
        case rejected(reason: String, index: Int?)
    }

    package let outcome: Outcome
    /// The revision that the response shows.
    package var revision: Int
    /// The names of the effects that the action started.
    package let effects: [String]
    /// The part of the state that the response shows; nil for none. Only a record needs it.
    package var selection: Selection?
    /// The value of `Preference-Applied`.
    package let appliedPreference: String?
    /// Whether all effects had settled at ``revision``; nil if the client did not wait for them.
    package var isSettled: Bool?
}

extension ActionResponse {
    package init(
        _ outcome: Outcome, revision: Int, effects: [String] = [], appliedPreference: String? = nil,
        isSettled: Bool? = nil
    ) {
        self.init(
            outcome: outcome, revision: revision, effects: effects, selection: nil,
            appliedPreference: appliedPreference, isSettled: isSettled)
    }
}

// The stored form is a JSON object without the members that have their usual value. The names are short, because there
// are many records.
extension ActionResponse {
    /// The stored form.
    package var encoded: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("r", revision)
            switch outcome {
            case .committed: break
            case .ignored: json.member("o", "ignored")
            case .rejected(let reason, let index):
                json.member("x", reason)
                json.member("i", ifPresent: index)
            }
            if !effects.isEmpty { json.member("e", effects) }
            switch selection {
            case nil: json.member("s", JSONValue.null)
            case .root?: break
            case .pointer(let pointer)?: json.member("s", pointer.description)
            // Whoever sends the action again gets its own value.
            case .named(let name, let pointer)?, .personal(let name, let pointer, _)?:
                json.member("n", name)
                if pointer != .root { json.member("s", pointer.description) }
            }
            json.member("p", ifPresent: appliedPreference)
            json.member("w", ifPresent: isSettled)
        }
        return json.finish()
    }

    /// Reads what ``encoded`` returned; nil for anything else.
    package init?(encoded bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), let revision = json["r"]?.asInteger else { return nil }
        var outcome = json["o"] == nil ? Outcome.committed : .ignored
        if let reason = json["x"]?.asString { outcome = .rejected(reason: reason, index: json["i"]?.asInteger) }
        self.init(
            outcome, revision: revision, effects: json["e"]?.asArray?.compactMap(\.asString) ?? [],
            appliedPreference: json["p"]?.asString, isSettled: json["w"]?.asBool)
        selection = Self.selection(json)
    }

    private static func selection(_ json: JSONValue) -> Selection? {
        let pointer = json["s"]?.asString.flatMap { try? JSONPointer($0) }
        if let name = json["n"]?.asString { return .named(name, at: pointer ?? .root) }
        return json["s"] == nil ? .root : pointer.map(Selection.pointer)
    }
}
