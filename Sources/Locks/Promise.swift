/// A value that is not known yet: whoever finds it out fulfills the promise, and any number of tasks wait for it.
///
/// Only the first value counts. Later ones are dropped, so several parties may race to fulfill one promise.
@usableFromInline
package final class Promise<Value: Sendable>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var value: Value?
        @usableFromInline var waiting: [CheckedContinuation<Void, Never>] = []

        @inlinable
        init() {}
    }

    // Guards the value and the waiting tasks. Nothing is called while it is held.
    @usableFromInline let state = Locked(State())

    /// A promise without a value.
    @inlinable
    package init() {}

    /// Sets the value, unless there is one, and resumes the tasks that wait for it.
    @inlinable
    package func fulfill(_ value: Value) {
        let waiting = state.withLock { state in
            if state.value == nil { state.value = value }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for the value. Cancelling the task does not end the wait.
    @inlinable
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let isKnown = state.withLock { state in
                if state.value == nil { state.waiting.append(continuation) }
                return state.value != nil
            }
            if isKnown { continuation.resume() }
        }
        // The task takes the value under the lock, and not from the continuation: if that is resumed before the task is
        // suspended, ThreadSanitizer does not see that one thread hands the value to another (Swift 6.3.1).
        return state.withLock { state in
            guard let value = state.value else { preconditionFailure("a task waits until there is a value") }
            return value
        }
    }

    /// Waits for the value that `begin` passes to its completion.
    @inlinable
    package static func value(from begin: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
        let promise = Promise()
        begin { promise.fulfill($0) }
        return await promise.value()
    }
}
