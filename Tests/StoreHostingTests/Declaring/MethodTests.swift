import JSON
import Locks
import StoreHosting
import Stores
import Testing

private struct Lamp: Sendable, Equatable {
    var level = 0
    var isBroken = false
    var entities = EntityTable<Bulb>()

    mutating func turn(to level: Int, _ isForced: Bool?) throws(Rejection) -> Bool {
        if isBroken, isForced != true { throw "broken" }
        defer { self.level = level }
        return level != self.level
    }

    static let turn = Action<Lamp, (Int, Bool?)>.method(
        "turn", "Turns.", .integer("to", 0...100), Field.boolean("isForced", example: true).optional(), members: 1...2
    ) { lamp, level, isForced throws(Rejection) in try lamp.turn(to: level, isForced) }

    static let off = Action<Lamp, Void>.method("off", "Turns off.") { lamp throws(Rejection) in
        try lamp.turn(to: 0, true)
    }

    static let elements = StoreElements<Lamp> {
        Member(table: \.entities)
        Member("level", \.level)
        Member("isBright") { $0.level > 50 }
        Member("level", \.level, .hidden)
        Member("isBroken", \.isBroken, .hidden)
        Check("level", "must be from 0 to 100") { (0...100).contains($0.level) }
        Check("isBroken", "must fit the level") { !$0.isBroken || $0.level < 100 }
        Invariant("too-bright") { $0.level <= 90 }
        turn
        off
        Action(
            "set", "Sets what is given.", Field.integer("to", 0...100).optional(),
            Field.boolean("isBroken", example: true).optional(), members: 1...1
        ) { lamp, level, isBroken in
            lamp.level = level ?? lamp.level
            lamp.isBroken = isBroken ?? lamp.isBroken
        }
    }
}

private struct Bulb: StoreValue, Identifiable, Equatable {
    var id: Int
}

@Suite struct MethodTests {
    private static let whole = StoreDefinition("lamp", "A lamp.", Lamp()) { Lamp.elements }
    private static let part = StoreDefinition("lamp", "A lamp.", Lamp()) { Part("lamp", \.self) { Lamp.elements } }

    @Test(arguments: [whole, part])
    fileprivate func aMethodDecidesAndChanges(_ lamp: StoreDefinition<Lamp>) {
        let store = lamp.kind.makeStore()
        #expect(lamp.kind.problems == [])
        #expect(lamp.kind.actions[2].example == ["type": "lamp/set", "payload": ["to": 0]])
        #expect(store.dispatch("lamp/turn", ["to": 60])?.word == "committed")
        #expect(store.json.contains(#""level":60,"isBright":true}"#))
        #expect(store.dispatch("lamp/turn", ["to": 60])?.word == "ignored")
        #expect(store.dispatch("lamp/set", ["isBroken": true])?.word == "committed")
        #expect(store.dispatch("lamp/turn", ["to": 10])?.word == "broken")
        #expect(store.dispatch("lamp/off")?.word == "committed")
        #expect(store.json.contains(#""entities":{},"ids":[],"level":0,"isBright":false}"#))
    }

    @Test(arguments: [whole, part])
    fileprivate func anInvariantIsKept(_ lamp: StoreDefinition<Lamp>) throws {
        let store = lamp.kind.makeStore()
        for type in ["lamp/turn", "lamp/set"] {
            guard case .rejected(let rejection, _)? = store.dispatch(type, ["to": 91])?.outcome else {
                Issue.record("\(type) is not rejected")
                continue
            }
            #expect(rejection.reason == "too-bright")
            #expect(rejection.isFault)
        }
        #expect(store.revision == 0)
    }

    @Test func aPayloadHasSoManyMembers() {
        let store = Self.whole.kind.makeStore()
        for payload: JSONObject in [[:], ["to": 1, "isBroken": true]] {
            guard case .refused(.invalidPayload, nil)? = store.dispatch("lamp/set", payload)?.outcome else {
                Issue.record("\(JSONValue.object(payload)) is accepted")
                continue
            }
        }
    }

    @Test(arguments: [
        (101, false, 1, "in the persisted private state, /level must be from 0 to 100"),
        (100, true, 1, "in the persisted private state, /isBroken must fit the level"),
        (95, false, 1, "in the persisted state, the whole breaks the invariant too-bright"),
        (1, false, 2, "in the persisted state, /ids must name each of the entities once"),
    ])
    func aPersistedStateIsChecked(_ level: Int, _ isBroken: Bool, _ ids: Int, _ complaint: String) {
        let table = #""entities":{"1":{"id":1}},"ids":\#(Array(repeating: 1, count: ids))"#
        let snapshot = StateSnapshot(
            json: Array(#"{\#(table),"level":0,"isBright":false}"#.utf8),
            privateState: Array(#"{"level":\#(level),"isBroken":\#(isBroken)}"#.utf8))
        let error = #expect(throws: RestorationError.self) {
            try Self.whole.kind.makeStore(from: snapshot, revision: 1)
        }
        #expect(error?.description == complaint)
    }

    @Test func aStoreCanBeAsynchronous() async {
        let lamp = StoreDefinition("lamp", "A lamp.", Lamp(), isAsynchronous: true) { Lamp.elements }
        let store = lamp.kind.makeStore()
        for word in ["committed", "ignored"] {
            let result = await Promise<DispatchResult>.value { done in
                store.dispatch(["type": "lamp/turn", "payload": ["to": 60]], DispatchOptions()) { done($0) }
            }
            #expect(result.word == word)
        }
        #expect(store.revision == 1)
    }
}
