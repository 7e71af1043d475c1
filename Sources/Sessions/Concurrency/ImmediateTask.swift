/// Runs `body` in a task of its own. All that it does before its first wait is done before this returns.
///
/// It continues where it was resumed, and not on the loop of the caller.
@discardableResult
package func beginTask<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
    if #available(macOS 26, *) { Task.immediate(operation: body) } else { Task(operation: body) }
}
