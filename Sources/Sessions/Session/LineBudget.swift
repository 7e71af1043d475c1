/// The budgets of a limited number of causes. Further causes share one.
package struct Budgets<Cause: Hashable & Sendable>: Sendable {
    private let limit: Int
    private var known: [Cause: LineBudget] = [:]
    private var other = LineBudget()

    /// - Parameter limit: how many causes have a budget of their own.
    package init(limit: Int) { self.limit = limit }

    /// A line about a cause is to be written.
    ///
    /// - Parameter now: milliseconds of a clock that nobody sets.
    /// - Returns: how many lines were left out before it; nil if it is left out too.
    package mutating func take(_ cause: Cause, now: Int) -> Int? {
        if known.count >= limit, known[cause] == nil {
            // Looked for again only after a period: all of them are walked through.
            if other.isNew(now: now) { known = known.filter { !$0.value.isNew(now: now) } }
            if known.count >= limit { return other.take(now: now) }
        }
        return known[cause, default: LineBudget()].take(now: now)
    }
}

/// Limits the lines about one cause, and counts those that are left out.
package struct LineBudget: Sendable {
    /// How many lines each period has.
    package static let limit = 60
    /// In milliseconds.
    package static let period = 60_000

    private var start: Int?
    private var count = 0

    package init() {}

    /// Whether its next line begins a period.
    fileprivate func isNew(now: Int) -> Bool { start.map { now - $0 >= Self.period } ?? true }

    /// A line is to be written.
    ///
    /// - Parameter now: milliseconds of a clock that nobody sets.
    /// - Returns: how many lines were left out before it; nil if it is left out too.
    package mutating func take(now: Int) -> Int? {
        var omitted = 0
        if isNew(now: now) {
            omitted = max(0, count - Self.limit)
            (start, count) = (now, 0)
        }
        count += 1
        return count <= Self.limit ? omitted : nil
    }
}
