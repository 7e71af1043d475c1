import StoreHosting
import Synchronization

/// How often the permits of a session were revoked. A permit is valid only for the number at which it was made.
package struct PermitGeneration: ~Copyable {
    private let count: Atomic<Int>

    init(_ count: Int = 0) { self.count = Atomic(count) }

    /// That of a session in the journal.
    init(of summary: SessionSummary) { self.init(summary.shareGeneration) }

    package var current: Int { count.load(ordering: .acquiring) }

    /// Makes all earlier permits invalid at once.
    package func advance() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }
}
