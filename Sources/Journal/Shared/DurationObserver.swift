import Locks

/// Gets durations, such as those of transactions.
///
/// A function that stands in a `Locked` by itself gets one more wrapper at each access, so each call would take longer than the
/// one before. In a structure it keeps its form.
package final class DurationObserver: Sendable {
    private struct Function {
        let call: @Sendable (Duration) -> Void
    }

    // Guards the function, which is called outside the lock.
    private let function = Locked<Function?>(nil)

    package init() {}

    package func set(_ call: @escaping @Sendable (Duration) -> Void) { function.withLock { $0 = Function(call: call) } }

    package func call(_ duration: Duration) { function.withLock(\.self)?.call(duration) }
}
