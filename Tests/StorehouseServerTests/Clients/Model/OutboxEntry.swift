import JSON

/// An entry of an outbox of the model, and what may become of it.
struct OutboxEntry: Sendable {
    let actions: [JSONValue]
    /// A condition; nil for none.
    var ifMatch: String?
    /// The outcomes that the server may tell.
    let outcomes: Set<String>

    var json: JSONValue { TestOutbox.entry(actions, ifMatch: ifMatch) }

    /// The entry under another condition, which makes it another entry.
    var changed: OutboxEntry {
        var entry = self
        entry.ifMatch = ifMatch == nil ? "0" : nil
        return entry
    }

    /// By how much a client may show a larger total at once; 0 if the entry may have no effect.
    var prediction: Int { outcomes == ["committed"] ? sum : 0 }

    private var sum: Int { actions.reduce(0) { $0 + ($1["payload"]?["amount"]?.asInteger ?? 0) } }

    static func add(_ amount: Int) -> JSONValue {
        ["type": "ledger/add", "payload": ["amount": .integer(amount)]]
    }

    /// - Parameters:
    ///   - amount: makes the next amount, which no other action has.
    ///   - revision: the newest one that the client knows.
    static func random(
        using random: inout some RandomNumberGenerator, revision: Int, _ amount: () -> Int
    ) -> OutboxEntry {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return OutboxEntry(actions: [["type": "ledger/skip"]], outcomes: ["ignored"])
        case 1: return OutboxEntry(actions: [["type": "ledger/fail"]], outcomes: ["rejected"])
        case 2: return OutboxEntry(actions: [add(amount()), ["type": "ledger/fail"]], outcomes: ["rejected"])
        case 3: return OutboxEntry(actions: [["type": "ledger/nothing"]], outcomes: ["refused"])
        case 4: return OutboxEntry(actions: [add(0)], outcomes: ["refused"])
        case 5: return OutboxEntry(actions: [add(amount())], ifMatch: "1000000", outcomes: ["mismatched"])
        case 6: return OutboxEntry(actions: [["type": "ledger/note"]], outcomes: ["committed"])
        case 7:
            let outcomes: Set = ["committed", "mismatched"]
            return OutboxEntry(actions: [add(amount())], ifMatch: "\(revision)", outcomes: outcomes)
        case 8:
            let actions = (0..<3).map { _ in add(amount()) }
            return OutboxEntry(actions: actions, outcomes: ["committed"])
        default: return OutboxEntry(actions: [add(amount())], outcomes: ["committed"])
        }
    }
}

/// A request that a relay can lose, repeat and hold.
struct OutboxRequest: Sendable {
    /// The index of the client.
    let client: Int
    let from: Int
    let entries: [OutboxEntry]
}

/// The result of an entry in an answer.
struct OutboxResult: Sendable, Equatable {
    let number: Int
    let outcome: String
    let revision: Int
    /// All that is the same in each answer.
    let json: JSONValue

    /// - Returns: the result, and whether the answer says that it was known; nil if it is none.
    static func read(_ json: JSONValue) -> (result: OutboxResult, isReplayed: Bool)? {
        guard case .object(var members) = json, let number = json["n"]?.asInteger,
            let outcome = json["outcome"]?.asString, let revision = json["revision"]?.asInteger
        else { return nil }
        members["replayed"] = nil
        if case .object(var problem)? = members["problem"] {
            problem["requestId"] = nil
            members["problem"] = .object(problem)
        }
        let result = OutboxResult(number: number, outcome: outcome, revision: revision, json: .object(members))
        return (result, json["replayed"] == true)
    }
}

/// The server has done something that the model does not allow.
struct OutboxFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func require(_ isSo: Bool, _ description: @autoclosure () -> String) throws {
        if !isSo { throw OutboxFault(description()) }
    }
}
