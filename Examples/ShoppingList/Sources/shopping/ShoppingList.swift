import Storehouse

/// The state of a session: what to buy, and what was bought before.
struct ShoppingList: Equatable {
    var items = EntityTable<Item>()
    /// The time at which a finished list is archived, in milliseconds since 1970; nil while something is left to buy.
    var archiveAt: Int?
    /// The latest finished lists, the oldest first.
    var archive: [FinishedList] = []

    /// The price of all items whose price is known, in cents.
    var total: Int { items.ordered.reduce(0) { $0 + $1.count * ($1.cents ?? 0) } }

    var isFinished: Bool { !items.isEmpty && items.ordered.allSatisfy(\.isBought) }
}

/// Something to buy. A `StoreValue` is `Codable`, and needs no other code to be sent and stored.
struct Item: StoreValue, Identifiable, Equatable {
    /// The name.
    let id: String
    var count = 1
    var isBought = false
    /// The price of one; nil if it is not known.
    var cents: Int?
    /// Whether the shop is asked for the price at the moment.
    var isAsking = true
    /// The reason why the price is not known: a code of `RemoteFailure`.
    var error: String?
}

struct FinishedList: StoreValue, Equatable {
    let items: [String]
    let total: Int
}
