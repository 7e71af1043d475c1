import StoreHosting
import Synchronization

/// About how many bytes a state takes as JSON. Any thread may use it: no request has to wait for the store to know it.
///
/// Between two measurements the size grows with the bodies of the actions.
package struct SessionSize: ~Copyable, Sendable {
    private static let large = 65536

    // 32 bits are enough: a state has at most 1 GiB, and is measured again before its size may have doubled.
    private let bytes: Atomic<UInt32>
    private let measured: Atomic<UInt32>
    private let most: Atomic<UInt32>

    init(_ bytes: Int) {
        self.bytes = Atomic(UInt32(clamping: bytes))
        measured = Atomic(UInt32(clamping: bytes))
        most = Atomic(UInt32(clamping: bytes))
    }

    package var isLarge: Bool { bytes.load(ordering: .relaxed) >= Self.large }

    var wasLarge: Bool { largest >= Self.large }

    package var largest: Int { Int(most.load(ordering: .relaxed)) }

    /// Whether so much was added since the last measurement that the size may be far from true. A state that grows is
    /// measured each time it may have doubled, so that this costs little for each action.
    var isGuess: Bool {
        let measured = Int(measured.load(ordering: .relaxed))
        return Int(bytes.load(ordering: .relaxed)) - measured >= max(Self.large / 2, measured)
    }

    package func record(exactly count: Int) {
        let size = UInt32(clamping: count)
        bytes.store(size, ordering: .relaxed)
        measured.store(size, ordering: .relaxed)
        if count > largest { most.store(size, ordering: .relaxed) }
    }

    package func record(atLeast count: Int) {
        if count > bytes.load(ordering: .relaxed) { record(exactly: count) }
    }

    package func add(_ count: Int) { bytes.wrappingAdd(UInt32(clamping: count), ordering: .relaxed) }
}

extension Session {
    /// Whether work on the whole state takes too long for an event loop.
    package var isLarge: Bool { size.isLarge }

    /// Whether the state was ever large, and so may be at an earlier revision.
    var wasLarge: Bool { size.wasLarge }

    /// About how many bytes the largest state took.
    var largestSize: Int { size.largest }

    /// Takes the size of the whole state as JSON.
    func recordSize(_ bytes: Int) { size.record(exactly: bytes) }

    /// Takes the size of a part of the state.
    func recordSize(ofPart bytes: Int) { size.record(atLeast: bytes) }

    /// Takes the size of an action, by which the state may have grown.
    func recordGrowth(_ bytes: Int) { size.add(bytes) }

    /// Encodes the state for its size, if actions may have changed that much. Not on an event loop.
    func measureIfNeeded() {
        if size.isGuess { recordSize(store.read().json.count) }
    }
}
