import Locks

/// The actions that wait for an ``AsyncStore``, and the watch over its reducer. A value without a lock.
struct AsyncStoreQueue<State: Sendable, Action: Sendable> {
    enum Item {
        /// The completion is nil if nobody gets the receipt. The promise is that of a task that may be the reducer.
        case submission(QueuedActions<Action>, AsyncStore<State, Action>.Completion?, Promise<Receipt>?)
        /// The end of an effect without an action.
        case end(Int)
        /// The place of an item that was taken.
        case taken
    }

    /// The result of adding an item.
    enum Appended: Equatable {
        case startsDraining, queued, full
        /// A task waits for its receipt while this reduction runs, and nobody watches it.
        case startsWatch(Int)
    }

    private var items: [Item] = []
    /// The index of the next item.
    private var head = 0
    private var isDraining = false
    /// Counts the items that were taken. It names the one that is being processed.
    private var reduction = 0
    private var isWatched = false
    /// The task that watches the reducer.
    var watch: Task<Void, Never>?

    private var count: Int { items.count - head }

    mutating func append(_ item: Item, limit: Int) -> Appended {
        guard count < limit else { return .full }
        items.append(item)
        guard isDraining else {
            isDraining = true
            return .startsDraining
        }
        guard case .submission(_, _, .some) = item, !isWatched else { return .queued }
        isWatched = true
        return .startsWatch(reduction)
    }

    /// Takes the next item; nil if there is none, which ends the draining.
    mutating func next() -> Item? {
        reduction += 1
        guard head < items.count else {
            (items, head, isDraining) = ([], 0, false)
            return nil
        }
        let item = items[head]
        items[head] = .taken
        head += 1
        // A queue that is never empty must not keep the places of all items.
        if head >= 64, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
        return item
    }

    /// Ends the watch over a reduction.
    ///
    /// - Returns: the receipts that tasks wait for, if it still runs. Otherwise the reduction to watch next; nil if no task waits.
    mutating func endWatch(of watched: Int) -> (stalled: [Promise<Receipt>], next: Int?) {
        isWatched = false
        let places = items[head...].indices.filter { index in
            if case .submission(_, _, .some) = items[index] { true } else { false }
        }
        guard isDraining, !places.isEmpty else { return ([], nil) }
        guard watched == reduction else {
            isWatched = true
            return ([], reduction)
        }
        return (places.compactMap { release($0) }, nil)
    }

    /// Has nobody wait for the receipt of an item.
    private mutating func release(_ place: Int) -> Promise<Receipt>? {
        guard case .submission(let submission, _, let receipt) = items[place] else { return nil }
        items[place] = .submission(submission, nil, nil)
        return receipt
    }
}
