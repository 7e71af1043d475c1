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
        Follow(close) { shop, _ in shop.closings *= 10 }
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

@Suite struct FollowTests {
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
            Follow(other) { _, _ in }
            Shop.left
            Member("left", \.seen)
        }
        #expect(
            shop.kind.problems == [
                #"A Follow names the action "other", which the definition does not contain."#,
                #"Two members have the name "left"."#,
            ])
    }
}
