import Locks
import Synchronization

/// Who watches, in the order in which they came.
final class Observers<Value: Sendable>: Sendable {
    typealias Observer = @Sendable (Value) -> Void

    private struct Contents {
        var nextID = 0
        var list: [(id: Int, observer: Observer)] = []
    }

    // Guards the list; nobody is called while it is held. Taken after the store's lock.
    private let contents = Locked(Contents())
    /// Read without the lock, so that telling nobody costs nothing.
    private let count = Atomic<Int>(0)

    func add(_ observer: @escaping Observer) -> Subscription {
        let id: Int = contents.withLock { contents in
            contents.nextID += 1
            contents.list.append((contents.nextID, observer))
            count.store(contents.list.count, ordering: .relaxed)
            return contents.nextID
        }
        return Subscription { [weak self] in
            self?.remove(id)
        }
    }

    func tell(_ value: Value) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        for (_, observer) in contents.withLock({ $0.list }) { observer(value) }
    }

    private func remove(_ id: Int) {
        contents.withLock { contents in
            contents.list.removeAll { $0.id == id }
            count.store(contents.list.count, ordering: .relaxed)
        }
    }
}

/// Keeps an observer subscribed until it is cancelled or forgotten.
public final class Subscription: Sendable {
    private let stop: @Sendable () -> Void

    init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }

    /// Ends the subscription; a notification under way on another thread may still arrive.
    public func cancel() { stop() }
}
