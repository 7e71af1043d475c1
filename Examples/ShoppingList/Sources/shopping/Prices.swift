import Storehouse

/// The shop that knows the prices. The configuration says where it is: `upstreams.prices.url`. Without a URL, this answers.
let prices = RemoteService("prices") { request in
    let prices = ["/bread": 320, "/milk": 139, "/tea": 449]
    guard let cents = prices[request.target ?? ""] else { return .json(["error": "unknown item"], status: 404) }
    return .json(["cents": .integer(cents)])
}

/// Asks for the price of each item that is added. Calls for different items run side by side, because each has an id.
let price = Fetch("price", on: add, from: prices, at: "/cents", as: Int.self, id: \.self) { _, item in
    .get("/" + RemoteRequest.percentEncoded(item))
} then: { list, item, cents, _ in
    list.items.update(item) {
        $0.cents = cents
        $0.isAsking = false
    }
} failed: { list, item, failure, _ in
    list.items.update(item) {
        $0.error = failure.code.rawValue
        $0.isAsking = false
    }
} waiting: { list in
    list.items.ordered.filter(\.isAsking).map(\.id)
}
