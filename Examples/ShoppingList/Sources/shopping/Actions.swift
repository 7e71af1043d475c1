import Storehouse

typealias ShoppingAction = StoreAction<ShoppingList>

private let item = Field<String>.text("item", 1...80, example: "tea")

let add = Action<ShoppingList, String>(
    "add", "Adds an item, or asks again for a price that is not known.", item,
    rules: .reject("list-full") { list, item in list.items.count == 100 && list.items[item] == nil },
    .ignore { list, item in list.items[item].map { $0.isAsking || $0.cents != nil } ?? false }
) { list, item in
    if list.items[item] == nil { list.items.insert(Item(id: item)) }
    list.items.update(item) {
        $0.isAsking = true
        $0.error = nil
    }
    list.archiveAt = list.isFinished ? list.archiveAt : nil
}

let setCount = Action<ShoppingList, (String, Int)>(
    "setCount", "Sets how many of an item to buy.", item, .integer("count", 1...99),
    rules: .reject("not-on-the-list") { list, item, _ in list.items[item] == nil }
) { list, item, count in list.items.update(item) { $0.count = count } }

let buy = Action<ShoppingList, (String, Int)>(
    "buy", "Marks an item as bought. When all are bought, the list is archived an hour later.", item,
    .integer("now", atLeast: 0, example: 0).defaulting(to: 0).described("Milliseconds since 1970, set by the server."),
    rules: .reject("not-on-the-list") { list, item, _ in list.items[item] == nil },
    .ignore { list, item, _ in list.items[item]?.isBought == true }
) { list, item, now in
    list.items.update(item) { $0.isBought = true }
    if list.isFinished { list.archiveAt = now + 3_600_000 }
}

let archive = Action<ShoppingList, Void>(
    "archive", "Archives the finished list.", audience: .internal, rules: .ignore { $0.archiveAt == nil }
) { list in
    let finished = FinishedList(items: Array(list.items.ids), total: list.total)
    list = ShoppingList(archive: (list.archive + [finished]).suffix(10))
}
