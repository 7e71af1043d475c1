import CAllocations
import Foundation

/// Times what this thread does very often, each measurement for about as long as it is told.
///
/// It goes by the thread's own time on a processor, so that others who want the processor hardly show.
struct Stopwatch {
    private static let batches = 5
    /// In nanoseconds.
    private let batch: Double

    init(milliseconds: Int) { batch = Double(milliseconds) * 1e6 / Double(Self.batches) }

    /// Nanoseconds that one of many takes: the median of some batches, after a warm-up that also finds their size.
    ///
    /// - Parameter many: does it as often as it is told.
    func nanoseconds(_ many: (Int) -> Void) -> Double {
        let count = size(many)
        return median((0..<Self.batches).map { _ in Self.nanoseconds { many(count) } / Double(count) })
    }

    /// How often it can be done in a batch's time.
    func size(_ many: (Int) -> Void) -> Int {
        var count = 1
        while true {
            let took = Self.nanoseconds { many(count) }
            if took >= batch / 2 { return max(1, Int(Double(count) * batch / took)) }
            count *= 2
        }
    }

    /// Blocks that the heap gives for one of many; -1 where they cannot be counted.
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

/// The middle one, or the upper of the two in the middle.
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
