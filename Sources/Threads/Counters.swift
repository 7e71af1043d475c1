import CPlatform
import Platform
import Synchronization

/// Counters to which many threads add at the same time without a lock, and without waiting for one another.
///
/// Each thread adds to a copy of its own, and a reader sums the copies. Threads share a copy if there are many more of them
/// than processors; the counts are exact nevertheless.
@usableFromInline
package final class StripedCounters: Sendable {
    /// A power of two, several times the number of processors, so that two busy threads seldom share a copy.
    private static let stripeCount = 1 << min(6, Int.bitWidth - (4 * processorCount - 1).leadingZeroBitCount)

    private static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Processors fetch pairs of cache lines, so each copy begins on a multiple of 128 bytes.
    private static let alignment = 128

    private let count: Int
    private let stride: Int
    private let lastStripe: Int
    // Safe: the memory is allocated for the life of the object, and holds nothing but atomics.
    nonisolated(unsafe) private let cells: UnsafeMutablePointer<Atomic<Int>>

    /// Counters with the indices from 0 to `count - 1`, each at 0.
    @usableFromInline
    package init(count: Int) {
        let perLine = Self.alignment / MemoryLayout<Int>.stride
        self.count = count
        stride = (count + perLine - 1) / perLine * perLine
        lastStripe = Self.stripeCount - 1
        let capacity = stride * Self.stripeCount
        cells = UnsafeMutableRawPointer.allocate(
            byteCount: capacity * MemoryLayout<Atomic<Int>>.stride, alignment: Self.alignment
        ).bindMemory(to: Atomic<Int>.self, capacity: capacity)
        for index in 0..<capacity { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit { cells.deallocate() }

    /// Adds to the counter with an index.
    @usableFromInline
    package func add(_ amount: Int = 1, to index: Int) {
        precondition(index >= 0 && index < count, "there is no counter with this index")
        let stripe = Int(thread_number()) & lastStripe
        cells[stripe * stride + index].add(amount, ordering: .relaxed)
    }

    /// The sum of all that was added to the counter with an index.
    package subscript(index: Int) -> Int {
        precondition(index >= 0 && index < count, "there is no counter with this index")
        var sum = 0
        for stripe in 0...lastStripe { sum &+= cells[stripe * stride + index].load(ordering: .relaxed) }
        return sum
    }
}

/// A counter for each case of an enumeration, whose raw values are the values of a label.
///
/// Inlinable: an addition that is not specialized would cost more than all the rest that a request counts.
@usableFromInline
package struct Counters<Label: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    @usableFromInline let labels = Array(Label.allCases)
    @usableFromInline let cells = StripedCounters(count: Label.allCases.count)

    package init() {}

    /// Adds to the counter of a case.
    @inlinable
    package func add(_ amount: Int = 1, to label: Label) {
        guard let index = labels.firstIndex(of: label) else { return }
        cells.add(amount, to: index)
    }

    /// The value of each label, and what was added to it.
    package var counts: [(label: String, count: Int)] {
        labels.enumerated().map { index, label in (label.rawValue, cells[index]) }
    }
}
