import Synchronization

/// Marks one moment in the life of a value: whoever changes the value gives it a fresh stamp.
///
/// Two values of one place in the state that carry equal stamps are equal, without a look at them. The reverse does not
/// hold: values with different stamps may be equal too.
///
/// A fresh stamp is one that this process has never given before. So an undo may bring an old value back with its old
/// stamp, and what changes it afterwards still gets a stamp of its own. Stamps have no order and mean nothing to another
/// process. To take one costs one uncontended atomic addition, also where many threads take them at once.
public struct Stamp: Sendable, Hashable {
    private let number: UInt64

    /// A fresh stamp.
    public init() {
        let (counter, stripe) = Stripes.ofThisThread
        number = counter.pointee.wrappingAdd(1, ordering: .relaxed).newValue << Stripes.bits | stripe
    }

    private init(number: UInt64) { self.number = number }

    /// What a value carries that is as it began; no fresh stamp equals it.
    @usableFromInline static let untouched = Stamp(number: 0)
}

/// The counters that stamps come from, each on cache lines of its own: threads that shared one would wait for each other.
private enum Stripes {
    static let bits: UInt64 = 5
    /// 128 bytes: processors fetch cache lines in pairs.
    private static let distance = 16

    /// Lives as long as the process. Atomics may be used from every thread, the pointer never changes.
    nonisolated(unsafe) private static let counters: UnsafeMutablePointer<Atomic<UInt64>> = {
        let count = distance << Int(bits)
        let counters = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: count)
        for index in 0..<count { (counters + index).initialize(to: Atomic(0)) }
        return counters
    }()

    /// A thread is known by where its stack stands. Two that fall on one counter are slower, not wrong.
    static var ofThisThread: (counter: UnsafeMutablePointer<Atomic<UInt64>>, stripe: UInt64) {
        var marker: UInt8 = 0
        let stack = withUnsafeMutablePointer(to: &marker) { UInt64(UInt(bitPattern: $0) >> 16) }
        // Multiplied with the golden ratio, stacks in a row spread evenly.
        let stripe = (stack &* 0x9E37_79B9_7F4A_7C15) >> (64 - bits)
        return (counters + Int(stripe) * distance, stripe)
    }
}
