import DeclaredTallies
import StoreHosting
import Storehouse

/// Serves the three tallies, so that the cost of a POST can be compared.
@main struct TallyServer: StorehouseApp {
    var kinds: [StoreKind] { [byHand, defined, codable] }
}
