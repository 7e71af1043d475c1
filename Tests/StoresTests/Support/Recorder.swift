import Locks

/// Collects values from any thread.
final class Recorder<Value: Sendable>: Sendable {
    private let contents = Locked<[Value]>([])

    var values: [Value] { contents.withLock { $0 } }

    func record(_ value: Value) { contents.withLock { $0.append(value) } }
}
