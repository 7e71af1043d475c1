import JSON
import StoresTesting

/// Actions as clients send them, at random: most are committed, some are rejected or ignored.
struct RandomActions {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// One of those that the kind declares to clients.
    mutating func next(of types: [String]) -> JSONValue {
        let type = types[below(types.count)]
        guard let payload = payload(of: type) else { return ["type": .string(type)] }
        return ["type": .string(type), "payload": .object(payload)]
    }

    /// Whether to do what is done once in so many times.
    mutating func isOnce(in times: Int) -> Bool { below(times) == 0 }

    private mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &generator) }

    private mutating func payload(of type: String) -> JSONObject? {
        let id = JSONValue.integer(below(12) + 1)
        return switch type {
        case "counter/increment", "counter/decrement": ["by": .integer(below(3) + 1)]
        case "user/balanceIncrease": ["value": .integer(below(1000) + 1)]
        case "betslip/addSelection":
            ["id": selection, "event": .string(text), "outcome": "home", "odds": .integer(below(900) + 101)]
        case "betslip/setStake": ["id": selection, "stake": .integer(below(5))]
        case "betslip/removeSelection": ["id": selection]
        case "login/enteringCredential", "form/set":
            [isOnce(in: 2) ? "username" : "password": isOnce(in: 3) ? "short" : "long enough"]
        case "tasks/add": isOnce(in: 2) ? ["title": .string(text)] : ["title": .string(text), "due": day]
        case "tasks/edit": edit(id)
        case "tasks/favorite", "tasks/unfavorite", "tasks/remove": ["id": id]
        case "tasks/move": ["id": id, "index": .integer(below(12))]
        case "calendar/selectDay": ["day": isOnce(in: 2) ? .null : day]
        case "settings/update": ["theme": isOnce(in: 2) ? "dark" : "light"]
        default: nil
        }
    }

    private var selection: JSONValue { mutating get { .string("s/\(below(6))~") } }
    private var day: JSONValue { mutating get { .string("2026-0\(below(9) + 1)-11") } }
    private var text: String { mutating get { ["a", "ü\"\\/", "日本", "two\nlines"][below(4)] } }

    private mutating func edit(_ id: JSONValue) -> JSONObject {
        switch below(3) {
        case 0: ["id": id, "title": .string(text)]
        case 1: ["id": id, "due": isOnce(in: 2) ? .null : day]
        default: ["id": id, "isDone": .bool(isOnce(in: 2))]
        }
    }
}
