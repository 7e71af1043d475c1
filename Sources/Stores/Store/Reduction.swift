import Locks

/// A call of an asynchronous reducer that runs in the current task.
///
/// A dispatch to the same store from inside would wait for the reducer, and the reducer for the dispatch.
@usableFromInline
final class Reduction: Sendable {
    @TaskLocal private static var current: Reduction?

    private let store: ObjectIdentifier
    /// The reducer that waits for this one.
    private let outer: Reduction?
    /// False after the reducer has returned: a task that it left behind may wait.
    private let isActive = Locked(true)

    private init(_ store: AnyObject, _ outer: Reduction?) {
        self.store = ObjectIdentifier(store)
        self.outer = outer
    }

    /// Whether the task runs a reducer of `store`.
    static func isRunning(in store: AnyObject) -> Bool {
        let store = ObjectIdentifier(store)
        var next = current
        while let reduction = next {
            if reduction.store == store, reduction.isActive.withLock({ $0 }) { return true }
            next = reduction.outer
        }
        return false
    }

    /// Runs a reducer of `store`.
    static func run<State: Sendable>(
        in store: AnyObject, _ reduce: () async throws(Rejection) -> State
    ) async throws(Rejection) -> State {
        let reduction = Reduction(store, current)
        let result: Result<State, Rejection> = await $current.withValue(reduction) {
            do throws(Rejection) { return .success(try await reduce()) } catch { return .failure(error) }
        }
        reduction.isActive.withLock { $0 = false }
        return try result.get()
    }

    /// Runs `body`, which begins a task that no reducer waits for.
    @usableFromInline
    static func leaving(_ body: () -> Task<Void, Never>) -> Task<Void, Never> {
        current == nil ? body() : $current.withValue(nil, operation: body)
    }
}
