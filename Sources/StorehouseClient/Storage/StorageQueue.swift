/// Calls a storage, one call after the other.
@MainActor
final class StorageQueue {
    private let storage: any ClientStorage
    private var newest: Task<Void, Never>?

    init(_ storage: any ClientStorage) {
        self.storage = storage
    }

    func run<Value: Sendable>(
        _ call: @escaping @Sendable (any ClientStorage) async throws -> Value
    ) async throws -> Value {
        let (previous, storage) = (newest, storage)
        let task = Task {
            await previous?.value
            return try await call(storage)
        }
        newest = Task { _ = await task.result }
        return try await task.value
    }
}
