import Locks

/// The subscribers of a store, in the order of subscription.
@usableFromInline
package final class Subscribers<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline package typealias Subscriber = @Sendable (borrowing Commit<State, Action>) -> Void
    typealias EffectObserver = @Sendable (EffectEvent) -> Void

    @usableFromInline
    package final class Entry: Sendable {
        let id: Int
        @usableFromInline package let subscriber: Subscriber
        /// Whether it reads states only, also those that are shown before they are committed.
        let readsStates: Bool

        init(_ id: Int, _ subscriber: @escaping Subscriber, readsStates: Bool) {
            self.id = id
            self.subscriber = subscriber
            self.readsStates = readsStates
        }
    }

    @usableFromInline
    package struct Contents: Sendable {
        var nextID = 0
        var entries: [Entry] = []
        var effectEntries: [(id: Int, observer: EffectObserver)] = []
        /// Whether no commit follows.
        var isFinished = false
        /// The entries for the next commit; nil after a change.
        var snapshot: UnretainedArray<Entry>?
    }

    // Guards the list. Taken after the lock of the store; no subscriber is called while it is held.
    private let contents = Locked(Contents())

    var isEmpty: Bool { contents.withLock { $0.entries.isEmpty && $0.effectEntries.isEmpty } }

    func add(
        _ subscriber: @escaping Subscriber, of store: StoreCore<State, Action>, readsStates: Bool = false
    ) -> Subscription {
        add(of: store) { contents, id in
            guard !contents.isFinished else { return }
            contents.entries.append(Entry(id, subscriber, readsStates: readsStates))
            contents.snapshot = nil
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
        // The subscription holds the list, not the store: a subscriber may own its subscription.
        return Subscription(
            check: { [weak store] in
                store?.contents.requireNotReducing("Subscription.cancel()")
            }, end: { [contents] in Self.remove(id, contents) })
    }

    @inlinable
    package func notify(_ commit: borrowing Commit<State, Action>) {
        // A subscriber may cancel itself, and so remove the only other reference to the list.
        let snapshot = snapshot
        withExtendedLifetime(snapshot) {
            for entry in snapshot.elements { entry._withUnsafeGuaranteedRef { $0.subscriber(commit) } }
        }
    }

    /// Notifies the subscribers that read states only.
    ///
    /// - Parameter shown: a state that is not committed. Its revision and its action mean nothing.
    func notify(shown: borrowing Commit<State, Action>) {
        let snapshot = snapshot
        withExtendedLifetime(snapshot) {
            for entry in snapshot.elements {
                entry._withUnsafeGuaranteedRef { if $0.readsStates { $0.subscriber(shown) } }
            }
        }
    }

    @usableFromInline package var snapshot: UnretainedArray<Entry> {
        contents.withLock { contents in
            let snapshot = contents.snapshot ?? UnretainedArray(contents.entries)
            contents.snapshot = snapshot
            return snapshot
        }
    }

    var effectObservers: [EffectObserver] { contents.withLock { $0.effectEntries.map(\.observer) } }

    /// Releases the subscribers of commits: the store has ended, and there will be none. Their sequences end.
    func finish() {
        let before: Contents = contents.withLock { contents in
            let before = contents
            contents.entries = []
            contents.snapshot = nil
            contents.isFinished = true
            return before
        }
        withExtendedLifetime(before) {}
    }

    // A subscriber may own its subscription, and with it the list: break the cycle.
    deinit { Self.remove(nil, contents) }

    /// - Parameter id: nil for all entries.
    private static func remove(_ id: Int?, _ contents: Locked<Contents>) {
        // Released outside of the lock: a subscriber may own another subscription, which then ends.
        let before: Contents = contents.withLock { contents in
            let before = contents
            contents.entries.removeAll { id == nil || $0.id == id }
            contents.effectEntries.removeAll { id == nil || $0.id == id }
            contents.snapshot = nil
            return before
        }
        withExtendedLifetime(before) {}
    }
}

/// A subscription. It ends when it is cancelled or released.
public final class Subscription: Sendable {
    private let check: @Sendable () -> Void
    private let end: @Sendable () -> Void

    /// - Parameters:
    ///   - check: stops the process if the subscription must not be cancelled now.
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
