import StoreHosting

/// The waiters of ``CommitRecorder/whenDurable(through:notify:)`` of one session, in the order of the calls.
package struct DurabilityWaiters: Sendable {
    enum Condition {
        /// That many commands are acknowledged.
        case order(Int)
        /// The transaction with that revision, which is not appended yet, is acknowledged.
        case revision(Int)
    }

    struct Wait {
        fileprivate var condition: Condition
        let waiter: any DurabilityWaiter

        fileprivate func isMet(_ acknowledged: Int) -> Bool {
            if case .order(let order) = condition { order <= acknowledged } else { false }
        }
    }

    private var waiting: [Wait] = []

    package var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ waiter: any DurabilityWaiter, _ condition: Condition) {
        waiting.append(Wait(condition: condition, waiter: waiter))
    }

    /// A transaction was appended as the command `order`; it ends with `revision`.
    mutating func resolve(through revision: Int, order: Int) {
        for index in waiting.indices {
            guard case .revision(let awaited) = waiting[index].condition, awaited <= revision else { continue }
            waiting[index].condition = .order(order)
        }
    }

    /// Takes out the first ones, as far as their conditions are met.
    mutating func take(acknowledged: Int) -> [Wait] {
        let first = waiting.firstIndex { !$0.isMet(acknowledged) }
        guard let first else { return takeAll() }
        if first == 0 { return [] }
        defer { waiting.removeFirst(first) }
        return Array(waiting.prefix(first))
    }

    /// Takes out all: those whose conditions are met, and those whose conditions never will be.
    mutating func takeAll(acknowledged: Int) -> (met: [Wait], unmet: [Wait]) {
        let all = takeAll()
        return (all.filter { $0.isMet(acknowledged) }, all.filter { !$0.isMet(acknowledged) })
    }

    private mutating func takeAll() -> [Wait] {
        defer { waiting = [] }
        return waiting
    }
}
