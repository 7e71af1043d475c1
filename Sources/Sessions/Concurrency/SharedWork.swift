import Locks

/// Computes a value once for all who ask for it at the same time.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package typealias Outcome = Result<Value, SessionFailure>

    // Guards the work in progress. Nothing is called while it is held.
    private let waiting = Locked<[Key: Promise<Outcome>]>([:])

    /// The value that `compute` returns: of this caller, or of one that has asked before.
    ///
    /// - Parameter compute: may call its argument, from which moment on others compute the value anew.
    package func value(
        of key: Key, _ compute: (_ begin: @escaping @Sendable () -> Void) async throws(SessionFailure) -> Value
    ) async throws(SessionFailure) -> Value {
        let own = Promise<Outcome>()
        let first = waiting.withLock { waiting in
            if let first = waiting[key] { return first }
            waiting[key] = own
            return own
        }
        guard first === own else { return try await first.value().get() }
        let begin: @Sendable () -> Void = { [self] in
            waiting.withLock { if $0[key] === own { $0[key] = nil } }
        }
        defer { begin() }
        do throws(SessionFailure) {
            let value = try await compute(begin)
            own.fulfill(.success(value))
            return value
        } catch {
            own.fulfill(.failure(error))
            throw error
        }
    }
}
