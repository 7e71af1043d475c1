import JSON
import Storehouse
import Stores
import StoresTesting
import Testing

private struct Order: Equatable {
    var cart = Cart()
    var bill = Bill()
}

private struct Cart: Equatable { var items: [String] = [] }

private struct Bill: Equatable {
    var cents = 0
    var isPaying = false
    var outcome: String?
}

private let add = Action<Cart, String>(
    "add", "Adds an item.", .text("item", 1...80, example: "Tea")
) { cart, item in cart.items.append(item) }

private let pay = Action<Bill, Void>(
    "pay", "Pays the bill.", rules: .reject("nothing-to-pay") { bill in bill.cents == 0 || bill.isPaying }
) { bill in bill.isPaying = true }

private let payment = Fetch("payment", on: pay, from: "bank", as: RemoteResponse.Status.self) { bill in
    .post(["cents": .integer(bill.cents)], target: "/payments")
} then: { bill, _, _ in
    bill = Bill(outcome: "paid")
} failed: { bill, failure, _ in
    bill.isPaying = false
    bill.outcome = failure.answer?.json?["reason"]?.asString ?? "unclear"
} isWaiting: { bill in
    bill.isPaying
}

private let cart = Part("cart", \Order.cart) {
    Member("items", \.items)
    add
}

private let bill = Part("bill", \Order.bill) {
    Member("cents", \.cents)
    Member("isPaying", \.isPaying)
    Member("outcome", \.outcome)
    pay
    payment
}

private let order = StoreDefinition("order", "An order of items at 2.50.", Order()) {
    cart
    Follow(cart, add) { order, _ in order.bill.cents += 250 }
    bill
}

/// The whole definition of docs/stores/slices.md with two slices.
@Suite struct OrderExample {
    private let bank = ScriptedRemoteClient()

    private func store() -> TestStore<Order, StoreAction<Order>> {
        TestStore(Order(), reducer: order.reducer, middleware: order.middleware(RemoteClients(["bank": bank])))
    }

    @Test func theDefinitionIsRight() {
        #expect(order.kind.problems == [])
        #expect(order.kind.silentFetches == [])
        #expect(order.kind.actions.map(\.type).filter { !$0.hasPrefix("bill/payment") } == ["cart/add", "bill/pay"])
    }

    @Test func aDeclinedPaymentSaysWhy() throws {
        let store = store()
        try store.dispatch(cart(add("Tea"))) { ($0.cart.items, $0.bill.cents) = (["Tea"], 250) }
        try store.dispatch(bill(pay())) { $0.bill.isPaying = true }
        bank.reply(status: 402, #"{"reason":"no-funds"}"#)
        let declined = RemoteFailure.declined(.init(status: 402, body: #"{"reason":"no-funds"}"#))
        try store.receive(bill(payment.failure(declined, for: ()))) {
            ($0.bill.isPaying, $0.bill.outcome) = (false, "no-funds")
        }
        #expect(bank.requests.map(\.target) == ["/payments"])
        try store.finish()
    }
}
