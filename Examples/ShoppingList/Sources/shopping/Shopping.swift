import Storehouse

@main struct Shopping: StorehouseApp {
    var kinds: [StoreKind] { shopping() }
}

/// - Parameter clock: the clock by which `buy` gets its time.
func shopping(clock: any StoreClock = SystemClock()) -> StoreDefinition<ShoppingList> {
    StoreDefinition(
        "shopping", "A shopping list with prices.", ShoppingList(),
        migrations: [
            .from(ShoppingListOfNames.self) { old in
                ShoppingList(items: EntityTable(old.items.map { Item(id: $0, isAsking: false) }))
            }
        ]
    ) {
        Member("items", \.items)
        Member("archiveAt", \.archiveAt)
        Member("archive", \.archive)
        add
        setCount
        buy
        archive
        price
        PurchaseTimes(clock: clock)
        Timers("archive") { (list: ShoppingList) in
            list.archiveAt.map { [StateTimer("archive", at: $0, archive())] } ?? []
        }
        Selector("total", "The price of the list, in cents.") { $0.total }
    }
}

/// Sets the time of each purchase. An action reads no clock itself, so that it always does the same.
private struct PurchaseTimes: Interceptor {
    let clock: any StoreClock

    func intercept(_ action: ShoppingAction, in list: ShoppingList) -> Interception<ShoppingAction> {
        guard let (item, _) = buy.values(in: action) else { return .pass }
        return .replace(buy(item, clock.now()))
    }

    func respond(to commit: borrowing Commit<ShoppingList, ShoppingAction>) -> Effect<ShoppingAction> { .none }
}

/// Version 1 had names only: `{"items": ["tea", "milk"]}`.
private struct ShoppingListOfNames: Decodable {
    let items: [String]
}
