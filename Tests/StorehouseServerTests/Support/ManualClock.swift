import Observability
import Sessions
import StorehouseServer
import Synchronization

/// Time that passes only when the test says so.
final class ManualClock: Sendable {
    private let moment: Atomic<Int>

    /// - Parameter start: milliseconds since 1970.
    init(_ start: Int = 1_700_000_000_000) { moment = Atomic(start) }

    var now: Int { moment.load(ordering: .relaxed) }

    func advance(by milliseconds: Int) { moment.add(milliseconds, ordering: .relaxed) }

    var clock: WallClock { WallClock { self.now } }
}
