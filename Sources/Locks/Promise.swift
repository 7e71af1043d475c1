/// A value that is not known yet: whoever finds it out fulfills the promise, and any number of tasks wait for it.
///
/// Only the first value counts. Later ones are dropped, so several parties may race to fulfill one promise.
public final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case pending([CheckedContinuation<Value, Never>])
        case fulfilled(Value)
    }

    // Guards the value and the waiting tasks. Nothing is called while it is held.
    private let state = Locked(State.pending([]))

    /// A promise without a value.
    public init() {}

    /// Sets the value, unless there is one, and resumes the tasks that wait for it.
    public func fulfill(_ value: Value) {
        let waiting: [CheckedContinuation<Value, Never>] = state.withLock { state in
            guard case .pending(let waiting) = state else { return [] }
            state = .fulfilled(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    /// Waits for the value. Cancelling the task does not end the wait.
    public func value() async -> Value {
        await withCheckedContinuation { continuation in
            let known: Value? = state.withLock { state in
                switch state {
                case .fulfilled(let value): return value
                case .pending(let waiting):
                    state = .pending(waiting + [continuation])
                    return nil
                }
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
