import Stores

/// What came of the orders of one transaction.
struct WrittenOrders: Sendable {
    enum Outcome: Sendable {
        /// Its session goes on there; nil where it has no journal.
        case kept(Cursor?)
        case failed(JournalFailure)
    }

    /// In the order of the orders.
    private var outcomes: [Outcome] = []
    /// Why nothing was written, where that is the file's fault.
    private(set) var diskFailure: String?
    /// By how many there are more sessions than were counted: those that could not begin, or ended, count as less.
    var liveChange = 0
    /// Whether something was.
    var hasWritten = false

    init() {}

    /// Nothing could be written.
    init(_ orders: [Order], failure: JournalFailure) {
        if case .unavailable(let detail) = failure { diskFailure = detail }
        for order in orders { add(.failed(failure), to: order) }
    }

    /// - Parameter order: the next.
    mutating func add(_ outcome: Outcome, to order: Order) {
        outcomes.append(outcome)
        if case .failed = outcome, case .begin = order { liveChange -= 1 }
    }

    /// Notes in the sessions' journals what came of the orders.
    ///
    /// - Returns: what to call, outside all locks.
    func settle(_ orders: [Order]) -> [@Sendable () -> Void] {
        var calls: [@Sendable () -> Void] = []
        for (order, outcome) in zip(orders, outcomes) {
            if case .barrier(let done) = order { calls.append(done) }
            guard let journal = order.journal else { continue }
            switch outcome {
            case .kept(let cursor): journal.settle(cursor)
            case .failed(let failure): journal.fail(failure)
            }
            calls.append { journal.tell() }
        }
        return calls
    }
}
