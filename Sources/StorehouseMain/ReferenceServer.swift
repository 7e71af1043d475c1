import StoreKinds
import Storehouse

/// The reference server: every kind of the module StoreKinds.
@main
struct ReferenceServer: StorehouseApp {
    var kinds: [StoreKind] { StoreKind.all }
}
