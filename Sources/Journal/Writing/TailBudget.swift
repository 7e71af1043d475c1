import Synchronization

/// What the tails of all sessions may take together.
final class TailBudget: Sendable {
    private static let most = 64 << 20

    private let total = Atomic<Int>(0)

    /// How many bytes one session should be content with.
    var share: Int { total.load(ordering: .relaxed) < Self.most ? 65_536 : 2048 }

    func add(_ bytes: Int) {
        if bytes != 0 { total.add(bytes, ordering: .relaxed) }
    }

    func remove(_ bytes: Int) { add(-bytes) }
}
