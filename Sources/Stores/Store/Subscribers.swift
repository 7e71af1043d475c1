import Locks

/// Who is told of a store's commits, in the order in which they came.
@usableFromInline
package final class Subscribers<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline package typealias Subscriber = @Sendable (borrowing Commit<State, Action>) -> Void
    typealias EffectObserver = @Sendable (EffectEvent) -> Void

    @usableFromInline
    package final class Entry: Sendable {
        let id: Int
        @usableFromInline package let subscriber: Subscriber

        init(_ id: Int, _ subscriber: @escaping Subscriber) {
            self.id = id
            self.subscriber = subscriber
        }
    }

    @usableFromInline
    package struct Contents: Sendable {
        var nextID = 0
        var entries: [Entry] = []
        /// Who is told what happens to effects.
        var effectEntries: [(id: Int, observer: EffectObserver)] = []
        /// The entries, made ready when a commit comes that has to be told.
        var ready: UnretainedArray<Entry>?
    }

    // Guards the list; nobody is called while it is held. Taken after the store's lock.
    private let contents = Locked(Contents())

    /// Whether nobody is told of commits, nor of effects.
    var isEmpty: Bool { contents.withLock { $0.entries.isEmpty && $0.effectEntries.isEmpty } }

    func add(_ subscriber: @escaping Subscriber, of store: StoreCore<State, Action>) -> Subscription {
        add(of: store) { contents, id in
            contents.entries.append(Entry(id, subscriber))
            contents.ready = nil
        }
    }

    func add(effectObserver: @escaping EffectObserver, of store: StoreCore<State, Action>) -> Subscription {
        add(of: store) { contents, id in contents.effectEntries.append((id, effectObserver)) }
    }

    private func add(
        of store: StoreCore<State, Action>, _ enter: (inout Contents, _ id: Int) -> Void
    ) -> Subscription {
        let id: Int = contents.withLock { contents in
            contents.nextID += 1
            enter(&contents, contents.nextID)
            return contents.nextID
        }
        // It keeps the list, and not this, which is kept faster while nobody refers to it weakly.
        return Subscription(
            check: { [weak store] in
                store?.contents.requireNotReducing("Subscription.cancel()")
            }, end: { [contents] in Self.remove(id, contents) })
    }

    @inlinable
    package func tell(_ commit: borrowing Commit<State, Action>) {
        // A subscriber may cancel itself, and with it what would keep the list.
        let ready = ready
        withExtendedLifetime(ready) {
            for entry in ready.elements { entry._withUnsafeGuaranteedRef { $0.subscriber(commit) } }
        }
    }

    @usableFromInline package var ready: UnretainedArray<Entry> {
        contents.withLock { contents in
            let ready = contents.ready ?? UnretainedArray(contents.entries)
            contents.ready = ready
            return ready
        }
    }

    var effectObservers: [EffectObserver] { contents.withLock { $0.effectEntries.map(\.observer) } }

    // A subscriber may keep its own subscription, and with it the list.
    deinit { Self.remove(nil, contents) }

    /// - Parameter id: nil for all of them.
    private static func remove(_ id: Int?, _ contents: Locked<Contents>) {
        // Let go of outside the lock: what they keep may be another subscription, which ends with them.
        let before: Contents = contents.withLock { contents in
            let before = contents
            contents.entries.removeAll { id == nil || $0.id == id }
            contents.effectEntries.removeAll { id == nil || $0.id == id }
            contents.ready = nil
            return before
        }
        withExtendedLifetime(before) {}
    }
}

/// Keeps a subscriber subscribed until it is cancelled or forgotten.
public final class Subscription: Sendable {
    private let check: @Sendable () -> Void
    private let end: @Sendable () -> Void

    /// - Parameters:
    ///   - check: stops the process where the subscription must not be cancelled now.
    ///   - end: removes the subscriber; may be called more than once.
    init(check: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
        self.check = check
        self.end = end
    }

    deinit { end() }

    /// Ends the subscription. A notification that another thread has begun may still arrive.
    public func cancel() {
        check()
        end()
    }
}

/// A list that never changes, for loops that are run with each action: no reference is counted on the way.
@usableFromInline
package final class UnretainedArray<Element: AnyObject & Sendable>: Sendable {
    private let owner: [Element]
    // The elements once more, where they are found without being retained. Unsafe only by name: nobody writes after `init`, and
    // `owner` keeps what stands here.
    @usableFromInline nonisolated(unsafe) let elements: UnsafeBufferPointer<Unmanaged<Element>>

    @usableFromInline
    package init(_ elements: [Element]) {
        owner = elements
        let places = UnsafeMutableBufferPointer<Unmanaged<Element>>.allocate(capacity: elements.count)
        _ = places.initialize(from: elements.map(Unmanaged.passUnretained))
        self.elements = UnsafeBufferPointer(places)
    }

    deinit { elements.deallocate() }
}
