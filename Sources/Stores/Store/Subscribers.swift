public import Locks

/// Who is told of a store's commits, in the order in which they came.
@usableFromInline
final class Subscribers<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline typealias Subscriber = @Sendable (borrowing Commit<State, Action>) -> Void

    @usableFromInline
    struct Contents {
        var nextID = 0
        @usableFromInline var list: [(id: Int, subscriber: Subscriber)] = []
    }

    // Guards the list; nobody is called while it is held. Taken after the store's lock.
    @usableFromInline let contents = Locked(Contents())

    func add(_ subscriber: @escaping Subscriber) -> Subscription {
        let id: Int = contents.withLock { contents in
            contents.nextID += 1
            contents.list.append((contents.nextID, subscriber))
            return contents.nextID
        }
        // It keeps the list, and not this, which is kept faster while nobody refers to it weakly.
        return Subscription { [contents] in Self.remove(id, contents) }
    }

    @inlinable
    func tell(_ commit: borrowing Commit<State, Action>) {
        for (_, subscriber) in contents.withLock({ $0.list }) { subscriber(commit) }
    }

    // A subscriber may keep its own subscription, and with it the list.
    deinit { contents.withLock { $0.list = [] } }

    private static func remove(_ id: Int, _ contents: Locked<Contents>) {
        // Let go of outside the lock: what it keeps may be another subscription, which ends with it.
        let removed: Subscriber? = contents.withLock { contents in
            contents.list.firstIndex { $0.id == id }.map { contents.list.remove(at: $0).subscriber }
        }
        withExtendedLifetime(removed) {}
    }
}

/// Keeps a subscriber subscribed until it is cancelled or forgotten.
public final class Subscription: Sendable {
    private let stop: @Sendable () -> Void

    init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }

    /// Ends the subscription; a notification under way on another thread may still arrive.
    public func cancel() { stop() }
}
