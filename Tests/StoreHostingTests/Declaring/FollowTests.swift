import JSON
import StoreHosting
import Stores
import Testing

private struct Cart: Sendable, Equatable {
    var items: [String] = []

    static let add = Action<Cart, String>(
        "add", "Adds an item.", .text("item", 1...80, example: "Tea"),
        rules: .reject("full") { cart, _ in cart.items.count == 2 }
    ) { $0.items.append($1) }

    static let elements = StoreElements<Cart> {
        Member("items", \.items)
        add
    }
}

private struct Shop: Sendable, Equatable {
    var left = Cart()
    var right = Cart()
    var seen: [Int] = []
    var closings = 0

    static let left = Part("left", \Shop.left) { Cart.elements }
    static let right = Part("right", \Shop.right) { Cart.elements }
    static let close = Action<Shop, Void>("close", "Closes.") { $0.closings += 1 }

    static let elements = StoreElements<Shop> {
        Follow(left, Cart.add) { shop, _ in shop.seen.append(shop.left.items.count) }
        left
        right
        Follow(left, Cart.add) { shop, item in shop.seen.append(item.count * 100 + shop.left.items.count) }
        Member("seen", \.seen)
        close
        Follow(close) { shop in shop.closings *= 10 }
        Member("closings", \.closings)
    }
}

private struct Town: Sendable, Equatable {
    var mayor = "Ada"
    var shop = Shop()

    static let shop = Part(\Town.shop) { Shop.elements }
}

private let town = StoreDefinition("town", "A town.", Town()) {
    Member("mayor", \.mayor)
    Town.shop
    Selector("items", "The number of items.") { $0.shop.left.items.count }
}

private let a = Field<Int>.integer("a", 1...9)
private let b = Field<String>.text("b", 1...9, example: "b")
private let c = Field<Bool>.boolean("c", example: true)
private let d = Field<Int>.integer("d", 1...9)

/// Actions with several fields.
private struct Depot: Sendable, Equatable {
    struct Shelf: Sendable, Equatable {
        static let two = Action<Shelf, (Int, String)>("two", "Two.", a, b) { _, _, _ in }
        static let three = Action<Shelf, (Int, String, Bool)>("three", "Three.", a, b, c) { _, _, _, _ in }
        static let four = Action<Shelf, (Int, String, Bool, Int)>("four", "Four.", a, b, c, d) { _, _, _, _, _ in }
    }

    var log: [String] = []
    var shelf = Shelf()

    static let shelf = Part("shelf", \Depot.shelf) {
        Shelf.two
        Shelf.three
        Shelf.four
    }
    static let two = Action<Depot, (Int, String)>("two", "Two.", a, b) { _, _, _ in }
    static let three = Action<Depot, (Int, String, Bool)>("three", "Three.", a, b, c) { _, _, _, _ in }
    static let four = Action<Depot, (Int, String, Bool, Int)>("four", "Four.", a, b, c, d) { _, _, _, _, _ in }
}

@Suite struct FollowTests {
    @Test func aFollowerGetsAValueForEachField() {
        let depot = StoreDefinition("depot", "A depot.", Depot()) {
            Member("log", \.log)
            Follow(Depot.shelf, Depot.Shelf.two) { depot, a, b in depot.log.append("shelf \(a) \(b)") }
            Follow(Depot.shelf, Depot.Shelf.three) { depot, a, b, c in depot.log.append("shelf \(a) \(b) \(c)") }
            Follow(Depot.shelf, Depot.Shelf.four) { depot, a, b, c, d in depot.log.append("shelf \(a) \(b) \(c) \(d)") }
            Follow(Depot.two) { depot, a, b in depot.log.append("\(a) \(b)") }
            Follow(Depot.three) { depot, a, b, c in depot.log.append("\(a) \(b) \(c)") }
            Follow(Depot.four) { depot, a, b, c, d in depot.log.append("\(a) \(b) \(c) \(d)") }
            Depot.shelf
            Depot.two
            Depot.three
            Depot.four
        }
        #expect(depot.kind.problems == [])
        var state = Depot()
        for action in [
            Depot.shelf(Depot.Shelf.two(1, "x")), Depot.shelf(Depot.Shelf.three(2, "x", true)),
            Depot.shelf(Depot.Shelf.four(3, "x", false, 9)), Depot.two(4, "y"), Depot.three(5, "y", true),
            Depot.four(6, "y", false, 8),
        ] {
            #expect(depot.reducer.apply(action, to: &state) == .accept)
        }
        #expect(
            state.log == ["shelf 1 x", "shelf 2 x true", "shelf 3 x false 9", "4 y", "5 y true", "6 y false 8"])
    }

    @Test func aFollowerSeesTheStateBeforeOrAfterTheAction() {
        var shop = Shop()
        let reducer = StoreDefinition("shop", "A shop.", Shop()) { Shop.elements }.reducer
        #expect(reducer.apply(Shop.left(Cart.add("Tea")), to: &shop) == .accept)
        #expect(shop.seen == [0, 301])
        #expect(reducer.apply(Shop.close(), to: &shop) == .accept)
        #expect(shop.closings == 10)
    }

    @Test func onlyTheNamedPartIsFollowedAndOnlyIfItAccepts() {
        var shop = Shop()
        let reducer = StoreDefinition("shop", "A shop.", Shop()) { Shop.elements }.reducer
        #expect(reducer.apply(Shop.right(Cart.add("Tea")), to: &shop) == .accept)
        #expect(shop.seen == [])
        shop.left.items = ["a", "b"]
        #expect(reducer.apply(Shop.left(Cart.add("Tea")), to: &shop) == .reject("full"))
        #expect(shop.seen == [])
    }

    /// The members of a part without a name stand beside the others, and its actions have the types of the whole.
    @Test func aPartWithoutANameBelongsToTheWhole() throws {
        let kind = town.kind
        #expect(kind.problems == [])
        #expect(kind.actions.map(\.type) == ["left/add", "right/add", "town/close"])
        let store = kind.makeStore()
        #expect(
            store.json == #"{"mayor":"Ada","left":{"items":[]},"right":{"items":[]},"seen":[],"closings":0}"#)
        #expect(store.dispatch("left/add", ["item": "Tea"])?.word == "committed")
        #expect(
            store.json == #"{"mayor":"Ada","left":{"items":["Tea"]},"right":{"items":[]},"seen":[0,301],"closings":0}"#)
        #expect(store.dispatch("town/close")?.word == "committed")
        #expect(store.read(.pointer(JSONPointer(tokens: ["closings"]))).json == Array("10".utf8))
        let (revision, snapshot) = store.snapshot()
        #expect(try kind.makeStore(from: snapshot, revision: revision).json == store.json)
    }

    @Test func aFollowerOfAnUnknownActionIsAProblem() {
        let other = Action<Shop, Void>("other", "Other.") { _ in }
        let shop = StoreDefinition("shop", "A shop.", Shop()) {
            Follow(other) { _ in }
            Follow(Shop.left, Action<Cart, Void>("clear", "Clears.") { _ in }) { _ in }
            Shop.left
            Member("left", \.seen)
        }
        #expect(
            shop.kind.problems == [
                #"A Follow names the action "other", which the definition does not contain."#,
                #"A Follow names the action "left/clear", which the definition does not contain."#,
                #"Two members have the name "left"."#,
            ])
    }
}
