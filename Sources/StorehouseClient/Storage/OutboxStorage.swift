/// Where a store keeps the actions that wait, and the newest state.
public struct OutboxStorage: Sendable {
    /// Makes the storage of one store.
    package let make: @Sendable () -> any ClientStorage

    package init(_ make: @escaping @Sendable () -> any ClientStorage) {
        self.make = make
    }

    /// Nowhere: both end with the store.
    public static let memory = OutboxStorage { MemoryStorage() }
}

/// Keeps nothing, because the entries live where they are replayed.
struct MemoryStorage: ClientStorage {
    func load(_ name: String) -> StoredOutbox { StoredOutbox() }
    func append(_ rows: [OutboxRow]) {}
    func advance(_ progress: OutboxProgress) {}
    func save(_ cache: [UInt8]) {}
    func clear() {}
}
