/// Where a store keeps the actions that wait, and the newest state.
public struct OutboxStorage: Sendable {
    /// Makes the storage of one store; nil if nothing is kept.
    package let make: (@Sendable () -> any ClientStorage)?

    package init(_ make: (@Sendable () -> any ClientStorage)?) {
        self.make = make
    }

    /// Nowhere: both end with the store.
    public static let memory = OutboxStorage(nil)
}
