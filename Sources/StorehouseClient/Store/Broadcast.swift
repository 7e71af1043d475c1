/// Gives values to whoever iterates over them: the newest one, without a backlog.
@MainActor
final class Broadcast<Value: Sendable> {
    private var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
    private var count = 0
    private var hasEnded = false

    /// - Parameter newest: the first value; nil if there is none yet.
    func values(_ newest: Value?) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        if let newest { continuation.yield(newest) }
        if hasEnded {
            continuation.finish()
            return stream
        }
        count += 1
        let id = count
        continuations[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.continuations[id] = nil }
        }
        return stream
    }

    func send(_ value: @autoclosure () -> Value) {
        guard !continuations.isEmpty else { return }
        let value = value()
        for continuation in continuations.values { continuation.yield(value) }
    }

    func finish() {
        hasEnded = true
        for continuation in continuations.values { continuation.finish() }
        continuations = [:]
    }
}
