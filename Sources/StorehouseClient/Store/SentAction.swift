/// An action, or several that commit together, on the way to the server.
@MainActor
public final class SentAction: Sendable {
    /// The decision of the server on an action that it took.
    public struct Outcome: Sendable, Hashable {
        /// False if the action had nothing to do.
        public let isCommitted: Bool
        /// The revision at which it was decided.
        public let revision: Int
        /// The names of the effects that it has started.
        public let effects: [String]
    }

    private let decision = Stage<Outcome>()
    private let storing = Stage<Void>()
    private let settling = Stage<Bool>()

    init() {}

    /// Waits until the outcome is known, and the confirmed state contains it, so that the program reads its own writes.
    ///
    /// - Throws: ``ActionRejected``, ``OutcomeUnknown``, ``ConnectionEnded``, ``OutboxFull``, or an error of the storage.
    public var confirmed: Void {
        get async throws { _ = try await decision.value }
    }

    /// Waits as ``confirmed`` does, for the decision on an action that the server took.
    ///
    /// - Throws: what ``confirmed`` throws.
    public var outcome: Outcome {
        get async throws { try await decision.value }
    }

    /// Waits until the action is in the outbox, so that nothing hangs without a network.
    ///
    /// - Throws: ``OutboxFull``, ``ConnectionEnded``, or an error of the storage.
    public var stored: Void {
        get async throws { try await storing.value }
    }

    /// Waits until the effects of the action have ended.
    ///
    /// False if nobody knows: the action was refused, the connection was lost, or the store does not hear of effects.
    public var settled: Bool {
        get async { (try? await settling.value) ?? false }
    }

    func succeed(_ outcome: Outcome) {
        storing.succeed(())
        decision.succeed(outcome)
    }

    func fail(_ error: any Error) {
        storing.fail(error)
        decision.fail(error)
        settle(false)
    }

    func store() { storing.succeed(()) }

    func settle(_ isSettled: Bool) { settling.succeed(isSettled) }
}

/// A value that comes once.
@MainActor
final class Stage<Value: Sendable> {
    private var result: Result<Value, any Error>?
    private var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
    private var count = 0

    func succeed(_ value: Value) { end(.success(value)) }
    func fail(_ error: any Error) { end(.failure(error)) }

    private func end(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        for continuation in waiting.values { continuation.resume(with: result) }
        waiting = [:]
    }

    /// The value. The end of the task ends the wait.
    var value: Value {
        get async throws {
            if let result { return try result.get() }
            count += 1
            let id = count
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                    waiting[id] = continuation
                }
            } onCancel: {
                Task { @MainActor in self.waiting.removeValue(forKey: id)?.resume(throwing: CancellationError()) }
            }
        }
    }
}
