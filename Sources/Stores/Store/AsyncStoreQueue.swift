import Locks

/// Actions that were sent to an ``AsyncStore``, and who gets their receipt.
struct AsyncSubmission<State: Sendable, Action: Sendable>: Sendable {
    let actions: QueuedActions<Action>
    /// Nil if nobody gets the receipt. A loss is then reported.
    var completion: AsyncStore<State, Action>.Completion?
    /// The receipt that a task waits for, which may be the reducer.
    var receipt: Promise<Receipt>?

    var envelope: Envelope<Action> { actions.envelope }
}

/// The actions that wait for an ``AsyncStore``, and the watch over its reducer. A value without a lock.
struct AsyncStoreQueue<State: Sendable, Action: Sendable> {
    enum Item {
        case submission(AsyncSubmission<State, Action>)
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
        guard case .submission(let submission) = item, submission.receipt != nil, !isWatched else { return .queued }
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
            if case .submission(let submission) = items[index] { submission.receipt != nil } else { false }
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
        guard case .submission(let submission) = items[place] else { return nil }
        items[place] = .submission(AsyncSubmission(actions: submission.actions))
        return submission.receipt
    }
}
