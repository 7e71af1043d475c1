import Storehouse

@main struct MyHallApp: StorehouseApp {
    var kinds: [StoreKind] { myHall }
}
