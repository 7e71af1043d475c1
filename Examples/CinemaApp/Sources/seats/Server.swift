import SeatsKind
import Storehouse

@main struct Hall: StorehouseApp {
    var kinds: [StoreKind] { seats }
}
