import Locks

/// Brings the parts of a stream to the main actor: in order, in few turns, and no faster than they are heard.
package final class StreamMailbox: ResponseReceiver {
    private struct State {
        var parts: [StreamPart] = []
        /// The bytes that wait to be heard.
        var waiting = 0
        var isFull = false
        var isScheduled = false
        /// Nil after the end.
        var hear: (@MainActor @Sendable (StreamPart) -> Void)?
    }

    private let maxBytes: Int
    private let resume: @Sendable () -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - maxBytes: how much may wait for the main actor before the receiver is full.
    ///   - resume: called when a full receiver takes bytes again.
    ///   - hear: gets the parts. It is released after the end.
    package init(
        maxBytes: Int, resume: @escaping @Sendable () -> Void, hear: @escaping @MainActor @Sendable (StreamPart) -> Void
    ) {
        self.maxBytes = maxBytes
        self.resume = resume
        state = Locked(State(hear: hear))
    }

    package func receive(status: Int, headers: [String: String]) {
        state.withLock { $0.parts.append(.head(status: status, headers: headers)) }
    }

    package func receive(_ bytes: [UInt8]) -> Reception {
        state.withLock { state in
            guard state.hear != nil else { return .taken }
            if case .bytes(var last) = state.parts.last {
                state.parts.removeLast()
                last += bytes
                state.parts.append(.bytes(last))
            } else {
                state.parts.append(.bytes(bytes))
            }
            state.waiting += bytes.count
            state.isFull = state.waiting >= maxBytes
            return state.isFull ? .full : .taken
        }
    }

    package func end(_ failure: TransportFailure?) {
        state.withLock { $0.parts.append(.end(failure)) }
        flush()
    }

    package func flush() {
        let isNew = state.withLock { state in
            guard !state.isScheduled, !state.parts.isEmpty, state.hear != nil else { return false }
            state.isScheduled = true
            return true
        }
        if isNew { Task { @MainActor in deliver() } }
    }

    /// Nothing is heard any more.
    package func close() {
        state.withLock { state in
            state.hear = nil
            state.parts = []
        }
    }

    @MainActor
    private func deliver() {
        let parts = state.withLock { state in
            defer { state.parts = [] }
            state.isScheduled = false
            return state.parts
        }
        var heard = 0
        for part in parts {
            // The listener may have closed the stream.
            guard let hear = state.withLock({ $0.hear }) else { return }
            hear(part)
            switch part {
            case .head: break
            case .bytes(let bytes): heard += bytes.count
            case .end: close()
            }
        }
        let resumes = state.withLock { state in
            state.waiting -= heard
            defer { if state.waiting < maxBytes { state.isFull = false } }
            return state.isFull && state.waiting < maxBytes
        }
        if resumes { resume() }
    }
}
