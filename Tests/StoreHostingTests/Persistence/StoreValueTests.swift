import JSON
import StoreHosting
import Stores
import Testing

/// Codable values as parts of a state, without JSON code.
@Suite struct StoreValueTests {
    private let kind = StoreKind.store("shop", ShopReducer.self)

    private func dispatch(_ store: HostedStore, _ type: String, _ payload: JSONValue) {
        store.dispatch(["type": .string(type), "payload": payload], DispatchOptions()) { _ in }
    }

    @Test func aStateSurvives() throws {
        let store = kind.makeStore()
        dispatch(store, "shop/add", ["item": ["id": "a", "color": "red", "sizes": [1, 2]]])
        dispatch(store, "shop/add", ["item": ["id": "b", "color": "blue", "sizes": [], "note": "n"]])
        let (revision, persisted) = store.snapshot()
        #expect(
            String(decoding: persisted.json, as: UTF8.self)
                == #"{"items":{"entities":{"a":{"id":"a","color":"red","sizes":[1,2]},"#
                + #""b":{"id":"b","color":"blue","sizes":[],"note":"n"}},"ids":["a","b"]},"#
                + #""newest":{"id":"b","color":"blue","sizes":[],"note":"n"},"counts":{"blue":1,"red":1},"#
                + #""colors":["red","blue"],"limits":{"most":3}}"#)
        let restored = try kind.makeStore(from: persisted, revision: revision)
        #expect(restored.snapshot().state.json == persisted.json)
    }

    @Test(arguments: [
        (#"{"id":1}"#, "/newest/id", "must be a string"), (#"{"id":"a"}"#, "/newest/color", "is missing"),
        (#"{"id":"a","color":"green"}"#, "/newest/color", "is none of the values that there are"),
        (#"{"id":"a","color":"red","sizes":[1,"x"]}"#, "/newest/sizes/1", "must be an integer of 64 bits"),
    ])
    func anErrorNamesThePlace(_ newest: String, _ pointer: String, _ detail: String) throws {
        let json =
            #"{"items":{"entities":{},"ids":[]},"newest":\#(newest),"counts":{},"colors":[],"limits":{"most":3}}"#
        let persisted = StateSnapshot(json: Array(json.utf8), privateState: nil)
        #expect(throws: RestorationError.unreadable(.state, at: pointer, detail)) {
            _ = try kind.makeStore(from: persisted, revision: 1)
        }
    }

    @Test func aWholeStateMayBeCodable() throws {
        let kind = StoreKind.store("tally", TallyReducer.self)
        let store = kind.makeStore()
        dispatch(store, "tally/add", ["_0": 3])
        let (revision, persisted) = store.snapshot()
        #expect(String(decoding: persisted.json, as: UTF8.self) == #"{"total":3}"#)
        #expect(try kind.makeStore(from: persisted, revision: revision).snapshot().state.json == persisted.json)
    }

    @Test func dictionariesRefuseNamesThatAreEqualInSwift() throws {
        let json =
            #"{"items":{"entities":{},"ids":[]},"newest":null,"counts":{"\u00e9":1,"e\u0301":2},"colors":[],"limits":{"most":3}}"#
        let persisted = StateSnapshot(json: Array(json.utf8), privateState: nil)
        #expect(
            throws: RestorationError.unreadable(
                .state, at: "/counts/e\u{301}", "is there twice")
        ) {
            _ = try kind.makeStore(from: persisted, revision: 1)
        }
    }
}

private struct Shop: HostedState, ObjectState, Restorable {
    enum Color: String, StoreValue { case red, blue }

    struct Item: StoreValue, Identifiable {
        var id: String
        var color: Color
        var sizes: [Int]
        var note: String?
    }

    struct Limits: Codable { var most = 3 }

    var items = EntityTable<Item>()
    var newest: Item?
    var counts: [String: Int] = [:]
    var colors: [Color] = []
    var limits = Limits()

    init() {}

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        items = try persisted.member("items", as: TableOfItems.self).table
        newest = try persisted.member("newest")
        counts = try persisted.member("counts")
        colors = try persisted.member("colors")
        let limits: CodableJSON<Limits> = try persisted.member("limits")
        self.limits = limits.value
    }

    func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("items", TableOfItems(table: items))
        members.member("newest", newest)
        members.member("counts", counts)
        members.member("colors", colors)
        members.member("limits", CodableJSON(limits))
    }
}

/// A table as an object with its two members.
private struct TableOfItems: ObjectState, Restorable {
    var table: EntityTable<Shop.Item>

    init(table: EntityTable<Shop.Item>) { self.table = table }

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) { table = try persisted.table() }

    func visitMembers(_ members: inout some MemberVisitor & ~Copyable) { members.members(of: table) }
}

extension JSONValue.Persisted {
    fileprivate func member<Member: Restorable>(
        _ name: String, as type: Member.Type
    ) throws(RestorationError) -> Member { try member(name) }
}

private enum ShopAction: DeclaredAction, Codable {
    case add(item: Shop.Item)

    static let catalogue = ActionSchema<ShopAction>(
        "shop", examples: [.add(item: Shop.Item(id: "a", color: .red, sizes: [1]))])
}

private struct ShopReducer: HostedReducer {
    func decide(_ action: ShopAction, in state: Shop) -> Decision { .accept }

    func reduce(_ state: inout Shop, _ action: ShopAction) {
        guard case .add(let item) = action else { return }
        state.items.upsert(item)
        state.newest = item
        state.counts[item.color.rawValue, default: 0] += 1
        state.colors.append(item.color)
    }
}

private struct Tally: HostedState, StoreValue {
    var total = 0
}

private enum TallyAction: DeclaredAction, Codable {
    case add(Int)
    static let catalogue = ActionSchema<TallyAction>("tally", examples: [.add(1)])
}

private struct TallyReducer: HostedReducer {
    func decide(_ action: TallyAction, in state: Tally) -> Decision { .accept }

    func reduce(_ state: inout Tally, _ action: TallyAction) {
        guard case .add(let number) = action else { return }
        state.total += number
    }
}
