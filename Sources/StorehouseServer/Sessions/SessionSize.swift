import Synchronization

/// About how many bytes a state takes as JSON. Any thread may use it: no request has to wait for the store to know it.
///
/// Between two measurements the size grows with the bodies of the actions.
struct SessionSize: ~Copyable, Sendable {
    private static let large = 65536

    private let bytes: Atomic<Int>
    private let measured: Atomic<Int>
    private let most: Atomic<Int>

    init(_ bytes: Int) {
        self.bytes = Atomic(bytes)
        measured = Atomic(bytes)
        most = Atomic(bytes)
    }

    var isLarge: Bool { bytes.load(ordering: .relaxed) >= Self.large }

    var wasLarge: Bool { largest >= Self.large }

    var largest: Int { most.load(ordering: .relaxed) }

    /// Whether so much was added since the last measurement that the size may be far from true. A state that grows is
    /// measured each time it may have doubled, so that this costs little for each action.
    var isGuess: Bool {
        let measured = measured.load(ordering: .relaxed)
        return bytes.load(ordering: .relaxed) - measured >= max(Self.large / 2, measured)
    }

    func record(exactly count: Int) {
        bytes.store(count, ordering: .relaxed)
        measured.store(count, ordering: .relaxed)
        if count > largest { most.store(count, ordering: .relaxed) }
    }

    func record(atLeast count: Int) {
        if count > bytes.load(ordering: .relaxed) { record(exactly: count) }
    }

    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}
