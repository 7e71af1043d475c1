import ExampleStores
import RemoteServices
import Stores
import StoresTesting
import Testing

@Suite struct CheckoutTests {
    private static let tea = Product(1, "Tea", price: 450)
    private static let cup = Product(2, "Cup", price: 1200)

    private let client = ScriptedRemoteClient()

    private func store(_ state: CheckoutState = CheckoutState()) -> TestStore<CheckoutState, CheckoutAction> {
        TestStore(state, reducer: CheckoutReducer(), middleware: [PaymentMiddleware(PaymentService(client))])
    }

    private static let oneCup = Cart([CartLine(cup)])
    private static let twoCups = Cart([CartLine(cup, quantity: 2)])

    /// A checkout with two cups in its cart, a change to undo, and a number of its own.
    private static let filled: CheckoutState = {
        var state = CheckoutState()
        state.cart = History(twoCups)
        state.cart.past = [oneCup]
        state.orderNumber = 7
        return state
    }()

    private static let order = Order(number: 7, total: 2400)
    private static let receipt = PaymentReceipt(order, reference: "r-1")

    private func pay(_ store: TestStore<CheckoutState, CheckoutAction>) throws {
        try store.dispatch(.pay) { $0.stage = .paying(Self.order) }
    }

    // MARK: - The cart

    @Test func changesOfTheCartAreUndoneAndRedone() throws {
        let store = store()
        let one = Cart([CartLine(Self.tea)])
        let two = Cart([CartLine(Self.tea), CartLine(Self.cup)])
        try store.dispatch(.cart(.present(.add(Self.tea)))) { $0.show(one, past: [Cart()]) }
        try store.dispatch(.cart(.present(.add(Self.cup)))) { $0.show(two, past: [Cart(), one]) }
        try store.dispatch(.cart(.undo)) { $0.show(one, past: [Cart()], future: [two]) }
        try store.dispatch(.cart(.undo)) { $0.show(Cart(), future: [two, one]) }
        try store.expectIgnored(.cart(.undo))
        try store.dispatch(.cart(.redo)) { $0.show(one, past: [Cart()], future: [two]) }
        #expect(store.state.cart.present.total == 450)
        try store.finish()
    }

    @Test func whatIsAddedTwiceStandsOnceAtItsLatestPrice() throws {
        let store = store()
        let dearer = Product(1, "Tea", price: 500)
        let cart = Cart([CartLine(Self.tea)])
        try store.dispatch(.cart(.present(.add(Self.tea)))) { $0.show(cart, past: [Cart()]) }
        try store.dispatch(.cart(.present(.add(dearer)))) { state in
            state.show(Cart([CartLine(dearer, quantity: 2)]), past: [Cart(), cart])
        }
        #expect(store.state.cart.present.total == 1000)
    }

    private typealias CartRow = TransitionRow<Cart, CartAction>

    @Test func everyActionInEveryCart() throws {
        let table = TransitionTable(
            states: [
                "empty": Cart(), "one": Cart([CartLine(Self.tea)]),
                "most of one": Cart([CartLine(Self.tea, quantity: 99)]),
                "full": Cart((100..<150).map { CartLine(Product($0, "", price: 1)) }),
            ],
            CartRow(
                "add", .add(Self.tea),
                .becomes("one"), .changes { $0.lines.update(1) { $0.quantity = 2 } }, .rejected("too-many"),
                .rejected("cart-full")),
            CartRow(
                "99", .setQuantity(1, 99),
                .rejected("not-in-cart"), .becomes("most of one"), .ignored, .rejected("not-in-cart")),
            CartRow(
                "100", .setQuantity(1, 100),
                .rejected("not-in-cart"), .rejected("too-many"), .rejected("too-many"), .rejected("not-in-cart")),
            CartRow(
                "-1", .setQuantity(1, -1),
                .rejected("not-in-cart"), .rejected("too-many"), .rejected("too-many"), .rejected("not-in-cart")),
            CartRow(
                "none", .setQuantity(1, 0),
                .rejected("not-in-cart"), .becomes("empty"), .becomes("empty"), .rejected("not-in-cart")),
            CartRow("empty", .empty, .ignored, .becomes("empty"), .becomes("empty"), .becomes("empty")))
        try table.verify(CartReducer())
    }

    @Test func aCartRemembersSoMuchAndNoMore() {
        var state = CheckoutState()
        for _ in 1...30 { _ = CheckoutReducer().apply(.cart(.present(.add(Self.tea))), to: &state) }
        #expect(state.cart.past.count == CheckoutReducer.undoLimit)
        #expect(state.cart.past.first?.lines[1]?.quantity == 10)
    }

    // MARK: - Paying

    @Test func aCartIsPaidOnceAndForgotten() throws {
        let store = store(Self.filled)
        try pay(store)
        try store.expectIgnored(.pay)
        try store.expectRejected(.cart(.present(.empty)), "payment-under-way")
        client.reply(#"{"reference":"r-1"}"#)
        try store.receive(.paid(Self.receipt)) { state in
            state.show(Cart())
            state.stage = .paid(Self.receipt)
            state.receipts.insert(Self.receipt)
        }
        try store.expectIgnored(.cart(.undo))
        try store.expectRejected(.pay, "cart-empty")
        try store.dispatch(.acknowledge) { $0.stage = .shopping }
        try store.finish()
        let body = Array(#"{"order":7,"total":2400}"#.utf8)
        #expect(client.requests == [RemoteRequest(method: "POST", body: body, contentType: "application/json")])
    }

    private static let failures: [(ScriptedRemoteClient.Reply, PaymentError)] = [
        (.success(RemoteResponse(status: 402)), .declined),
        (.success(RemoteResponse(status: 500)), .unavailable(.badStatus)),
        (.success(RemoteResponse(status: 200, body: Array("{}".utf8))), .unavailable(.badBody)),
        (.success(RemoteResponse(status: 200)), .unavailable(.badBody)),
        (.failure(RemoteFailure(.unreachable, "no connection")), .unavailable(.unreachable)),
    ]

    @Test(arguments: failures)
    func aFailureIsAnActionAndTheCartStays(_ reply: ScriptedRemoteClient.Reply, _ error: PaymentError) throws {
        let store = store(Self.filled)
        client.reply(reply)
        try pay(store)
        try store.receive(.paymentFailed(error)) { $0.stage = .failed(error) }
        try store.dispatch(.acknowledge) { $0.stage = .shopping }
        try store.expectIgnored(.acknowledge)
        #expect(store.state == Self.filled)
        try store.finish()
    }

    @Test func aServiceThatIsTooSlowIsGivenUpAndAskedForTheSameOrderAgain() throws {
        let store = store(Self.filled)
        try pay(store)
        try store.advance(by: .seconds(30))
        try store.receive(.paymentFailed(.tooSlow)) { $0.stage = .failed(.tooSlow) }
        #expect(client.cancellations == 1)
        try pay(store)
        #expect(client.requests.count == 2)
        #expect(client.requests.first == client.requests.last)
        store.end()
    }

    @Test func anotherCartIsAnotherOrder() throws {
        var failed = Self.filled
        failed.stage = .failed(.declined)
        let store = store(failed)
        try store.dispatch(.cart(.present(.setQuantity(2, 1)))) { state in
            state.show(Self.oneCup, past: [Self.oneCup, Self.twoCups])
            state.stage = .shopping
        }
        try store.dispatch(.pay) { $0.stage = .paying(Order(number: 8, total: 1200)) }
        store.end()
    }

    @Test func aRestoredCheckoutRepeatsItsRequestOnce() throws {
        var paying = Self.filled
        paying.stage = .paying(Self.order)
        let store = store(paying)
        try store.resume()
        try store.resume()
        #expect(client.requests.count == 1)
        client.reply(#"{"reference":"r-1"}"#)
        try store.receive(.paid(Self.receipt)) { state in
            state.show(Cart())
            state.stage = .paid(Self.receipt)
            state.receipts.insert(Self.receipt)
        }
        try store.finish()
    }

    // MARK: - Whatever the rules are

    @Test func noTotalIsNegative() throws {
        let gift = Product(3, "Gift", price: -3000)
        let store = store(Self.filled)
        try store.expectRejected(.cart(.present(.add(gift))), Rejection("negative-total", isFault: true))
        #expect(store.state == Self.filled)
    }

    @Test func nothingIsBoughtTwice() throws {
        var state = Self.filled
        state.receipts.insert(Self.receipt)
        let store = store(state)
        try store.expectRejected(.pay, Rejection("bought-twice", isFault: true))
        #expect(client.requests == [])
    }
}

extension CheckoutState {
    /// Changes the cart as an action does: what comes next is another order.
    fileprivate mutating func show(_ cart: Cart, past: [Cart] = [], future: [Cart] = []) {
        self.cart = History(cart)
        self.cart.past = past
        self.cart.future = future
        orderNumber += 1
    }
}
