import Locks
import Platform

/// Runs `body`, which blocks or computes for long, on a thread of its own. Swift has few threads, and other tests need them.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await Promise.value { done in
        precondition(startThread { done(Result { try body() }) }, "the system has no thread left")
    }.get()
}
