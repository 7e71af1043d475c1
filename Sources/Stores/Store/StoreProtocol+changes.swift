import Locks

extension StoreProtocol {
    /// The states as an asynchronous sequence: the current one, then the newest after each commit.
    ///
    ///     for await state in store.states {
    ///         show(state)
    ///     }
    ///
    /// At most one state waits: a loop that is slower than the commits sees the newest state and not each one. To see each, use
    /// ``Store/subscribe(_:)``. The sequence ends when the store ends or is released, and the subscription ends with the sequence.
    /// A sequence that nobody asks for costs nothing.
    public var states: AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let end = StreamEnd(continuation)
            let subscription = observe { end.continuation.yield($0) }
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }

    /// Calls `action` after each commit that changes a part of the state.
    ///
    ///     let subscription = store.onChange(of: \.count) { old, new in … }
    ///
    /// It is not called for the current value. The rules are those of ``observe(_:)``.
    ///
    /// - Parameters:
    ///   - part: reads the part. The last value is stored and compared after each commit.
    ///   - action: called with the value before and after the change.
    public func onChange<Part: Sendable & Equatable>(
        of part: @escaping @Sendable (State) -> Part,
        _ action: @escaping @Sendable (_ old: Part, _ new: Part) -> Void
    ) -> Subscription {
        // Guards the last value. Taken after the lock of the store; nothing is called while it is held.
        let last = Locked<Part?>(nil)
        return observe { state in
            let new = part(state)
            let old: Part? = last.withLock { last in
                defer { last = new }
                return last
            }
            if let old, !ExactComparison.areSame(old, new) { action(old, new) }
        }
    }
}

/// Ends a stream when the subscriber that feeds it is released.
private final class StreamEnd<Element: Sendable>: Sendable {
    let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }
}
