public import Stores

/// An animal, or why there is none.
public struct Animal: Sendable, Equatable {
    /// Its name; empty before the first one.
    public var name = ""
    /// Whether one is on its way.
    public var isLoading = false
    /// Why the last one did not come.
    public var error: String?

    /// No animal.
    public init() {}
}

/// The actions of an animal.
public enum AnimalAction: Sendable, Equatable {
    case fetch
    case fetched(String)
    case failed(String)
}

/// The reducer of an animal. It never waits.
public let animalReducer = Reduce<Animal, AnimalAction> { animal, action in
    switch action {
    case .fetch:
        animal.isLoading = true
        animal.error = nil
    case .fetched(let name):
        animal.name = name
        animal.isLoading = false
    case .failed(let reason):
        animal.error = reason
        animal.isLoading = false
    }
}

/// Calls the service for each ``AnimalAction/fetch``. A failure becomes an action like any other.
public func animalMiddleware(
    _ service: @escaping @Sendable () async throws -> String
) -> AsyncMiddleware<Animal, AnimalAction> {
    AsyncMiddleware("animal.fetch") { _, action in
        guard action == .fetch else { return nil }
        do { return .fetched(try await service()) } catch { return .failed("\(error)") }
    }
}

/// Writes a line for each action.
public func logMiddleware(
    _ write: @escaping @Sendable (String) -> Void
) -> CommitLogger<Animal, AnimalAction> {
    CommitLogger { commit in write("\(commit.revision): \(commit.action)") }
}
