import Locks

/// Computes a value once for all who ask for it at the same time.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Nil if the task that computes the value was cancelled before it was there.
    private typealias Outcome = Result<Value, SessionFailure>?

    // Guards the work in progress. Nothing is called while it is held.
    private let waiting = Locked<[Key: Promise<Outcome>]>([:])

    /// The value that `compute` returns: of this caller, or of one that has asked before. If that one's task is cancelled, another one
    /// computes the value for the rest.
    ///
    /// - Parameter compute: may call its argument, from which moment on others compute the value anew.
    package func value(
        of key: Key, _ compute: (_ begin: @escaping @Sendable () -> Void) async throws(SessionFailure) -> Value
    ) async throws(SessionFailure) -> Value {
        let own = Promise<Outcome>()
        while let first = known(key, or: own) {
            if let outcome = await first.value() { return try outcome.get() }
        }
        let begin: @Sendable () -> Void = { [self] in
            waiting.withLock { if $0[key] === own { $0[key] = nil } }
        }
        do throws(SessionFailure) {
            let value = try await compute(begin)
            begin()
            own.fulfill(.success(value))
            return value
        } catch {
            begin()
            own.fulfill(Task.isCancelled ? nil : .failure(error))
            throw error
        }
    }

    /// The work on a value that is in progress; nil if it is `own` from now on.
    private func known(_ key: Key, or own: Promise<Outcome>) -> Promise<Outcome>? {
        waiting.withLock { waiting in
            if let first = waiting[key] { return first }
            waiting[key] = own
            return nil
        }
    }
}
