import StoreHosting

/// The completions of ``CommitRecorder/whenDurable(through:_:)`` of one session, in the order of the calls.
struct DurabilityWaiters: Sendable {
    typealias Completion = @Sendable (JournalError?) -> Void

    enum Condition {
        /// That many commands are acknowledged.
        case order(Int)
        /// The transaction with that revision, which is not appended yet, is acknowledged.
        case revision(Int)
    }

    private var waiting: [(condition: Condition, done: Completion)] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ done: @escaping Completion, _ condition: Condition) {
        waiting.append((condition, done))
    }

    /// A transaction was appended as the command `order`; it ends with `revision`.
    mutating func resolve(through revision: Int, order: Int) {
        for index in waiting.indices {
            guard case .revision(let awaited) = waiting[index].condition, awaited <= revision else { continue }
            waiting[index].condition = .order(order)
        }
    }

    /// Takes out the first ones, as far as their conditions are met.
    mutating func take(acknowledged: Int) -> [Completion] {
        let isMet: (Condition) -> Bool = { condition in
            if case .order(let order) = condition { order <= acknowledged } else { false }
        }
        let count = waiting.firstIndex { !isMet($0.condition) } ?? waiting.count
        defer { waiting.removeFirst(count) }
        return waiting.prefix(count).map(\.done)
    }

    mutating func takeAll() -> [Completion] {
        defer { waiting = [] }
        return waiting.map(\.done)
    }
}
