import CAllocations
import Foundation

/// Measures the time of an operation that this thread repeats.
///
/// It measures the CPU time of the thread, so other processes hardly affect the result.
struct Stopwatch {
    private static let batches = 5
    /// In nanoseconds.
    private let batch: Double

    init(milliseconds: Int) { batch = Double(milliseconds) * 1e6 / Double(Self.batches) }

    /// The nanoseconds of one operation: the median of several batches, after a warm-up that determines their size.
    ///
    /// - Parameter many: runs the operation the given number of times.
    func nanoseconds(_ many: (Int) -> Void) -> Double {
        let count = size(many)
        return median((0..<Self.batches).map { _ in Self.nanoseconds { many(count) } / Double(count) })
    }

    /// The number of operations in the time of a batch.
    func size(_ many: (Int) -> Void) -> Int {
        var count = 1
        while true {
            let took = Self.nanoseconds { many(count) }
            if took >= batch / 2 { return max(1, Int(Double(count) * batch / took)) }
            count *= 2
        }
    }

    /// The heap allocations of one operation; -1 if they cannot be counted.
    static func allocations(_ many: (Int) -> Void) -> Double {
        let count = 10_000
        many(count)
        let before = allocations_of_this_thread()
        if before < 0 { return -1 }
        many(count)
        return Double(allocations_of_this_thread() - before) / Double(count)
    }

    private static func nanoseconds(_ body: () -> Void) -> Double {
        let begin = processorTime()
        body()
        return processorTime() - begin
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// The median; the upper one of an even number.
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
