import JSON
import StoreHosting
import StorehouseClient
import Stores

/// A session that decides by the rules of its kind, and keeps what became of the entries of each client.
struct ScriptedSession<State: Sendable> {
    private static var history: String { "scripted" }

    private struct Record {
        /// The name of the client in events.
        let mark: String
        var results: [Int: JSONValue] = [:]
    }

    private let coding: ClientCoding<State>
    private(set) var state: State
    private(set) var revision = 0
    /// The actions that were decided, as far as the kind has them.
    private(set) var received: [StoreAction<State>] = []
    private var records: [String: Record] = [:]
    private var refusals: [(body: String, reason: String)] = []

    init(_ coding: ClientCoding<State>, _ state: State) {
        self.coding = coding
        self.state = state
    }

    // ---- By the script

    mutating func commit(_ action: StoreAction<State>, by actor: Actor, at now: Int) -> Decision {
        guard let coded = coding.coded(action, by: actor, at: now), coded.isFilled else {
            return .reject(Rejection("identity-required"))
        }
        let decision = coding.apply(coded.action, to: &state)
        if decision == .accept { revision += 1 }
        return decision
    }

    mutating func change(_ change: (inout State) -> Void) {
        change(&state)
        revision += 1
    }

    /// The next action that has the body of this one is rejected.
    mutating func refuse(_ action: StoreAction<State>, _ reason: String) {
        guard let coded = coding.coded(action, by: .anonymous, at: 0) else { return }
        refusals.append((coded.json.description, reason))
    }

    // ---- Events

    var stateEvent: ScriptedEvent {
        let value = (try? JSONValue(parsing: coding.encode(state))) ?? .null
        let data: JSONObject = ["revision": .integer(revision), "state": value, "through": .object(through)]
        return ScriptedEvent(type: "state", id: "\(Self.history)-\(revision)", data: .object(data))
    }

    func readyEvent(for client: String) -> ScriptedEvent {
        var data: JSONObject = [
            "revision": .integer(revision), "history": .string(Self.history), "heartbeat": 15,
            "version": .string(coding.version),
        ]
        if let record = records[client] {
            data["mark"] = .string(record.mark)
            data["through"] = .object(through)
        }
        return ScriptedEvent(type: "ready", data: .object(data))
    }

    /// The highest decided numbers of all clients, by their marks.
    private var through: JSONObject {
        JSONObject(records.values.map { ($0.mark, JSONValue.integer($0.results.keys.max() ?? 0)) })
    }

    // ---- Entries

    /// Answers a request with entries, by the rules of `sync`.
    mutating func sync(_ body: JSONValue, by actor: Actor, at now: Int) -> (status: Int, body: JSONValue) {
        let client = body["client"]?.asString ?? ""
        if body["new"] == true, records[client] == nil { records[client] = Record(mark: "m\(records.count + 1)") }
        guard let record = records[client] else { return (409, Self.problem(409, "client-forgotten")) }
        let from = body["from"]?.asInteger ?? 1
        let entries = body["entries"]?.asArray ?? []
        var results = record.results.filter { $0.key >= from }
        for (number, entry) in zip(from..., entries) where results[number] == nil {
            var result = decide(entry, by: actor, at: now)
            result["n"] = .integer(number)
            result["revision"] = .integer(revision)
            results[number] = .object(result)
            records[client]?.results[number] = .object(result)
        }
        let answer: JSONObject = [
            "mark": .string(record.mark), "revision": .integer(revision), "history": .string(Self.history),
            "through": .integer(records[client]?.results.keys.max() ?? 0),
            "results": .array(results.sorted { $0.key < $1.key }.map(\.value)),
        ]
        return (200, .object(answer))
    }

    private mutating func decide(_ entry: JSONValue, by actor: Actor, at now: Int) -> JSONObject {
        if let expected = entry["ifMatch"]?.asString, expected != "\(revision).\(Self.history)" {
            return Self.refusal("mismatched", Self.problem(412, "revision-mismatch"))
        }
        var (next, accepted) = (state, 0)
        for (index, body) in (entry["actions"]?.asArray ?? []).enumerated() {
            guard let coded = coding.coded(body, by: actor, at: now), coded.isFilled else {
                let isForUsers = coding.coded(body, by: .user(ActorID("somebody")), at: now) != nil
                let problem = Self.problem(
                    isForUsers ? 403 : 422, isForUsers ? "identity-required" : "unknown-action", at: index)
                return Self.refusal("refused", problem)
            }
            received.append(coded.action)
            switch takeRefusal(of: body) ?? coding.apply(coded.action, to: &next) {
            case .accept: accepted += 1
            case .ignore, .follow: continue
            case .reject(let rejection):
                return Self.refusal("rejected", Self.problem(409, "action-rejected", rejection.reason, at: index))
            }
        }
        if accepted == 0 { return ["outcome": "ignored"] }
        state = next
        revision += accepted
        return ["outcome": "committed"]
    }

    private mutating func takeRefusal(of body: JSONValue) -> Decision? {
        guard let index = refusals.firstIndex(where: { $0.body == body.description }) else { return nil }
        return .reject(Rejection(refusals.remove(at: index).reason))
    }

    private static func refusal(_ outcome: JSONValue, _ problem: JSONValue) -> JSONObject {
        ["outcome": outcome, "problem": problem]
    }

    private static func problem(
        _ status: Int, _ code: String, _ reason: String? = nil, at index: Int = 0
    ) -> JSONValue {
        var problem: JSONObject = ["status": .integer(status), "code": .string(code), "index": .integer(index)]
        if let reason { problem["reason"] = .string(reason) }
        return .object(problem)
    }
}
