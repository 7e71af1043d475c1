/// The starts of one throttled effect: one within each interval.
@usableFromInline
package struct Throttle: Sendable {
    /// The end of the interval, in milliseconds since 1970.
    private var end = Int.min
    private var interval = 0
    /// The runs that start at the end of the interval, and begin another.
    private var last: [Int] = []
    /// The answer of a middleware whose effects began the interval: see ``EffectTable/admit(_:as:after:now:ended:)``.
    private var answer = -1

    /// A run that may start.
    struct Start {
        /// In milliseconds.
        let delay: Int
        /// The runs that it replaces.
        var replaced: [Int] = []
    }

    init() {}

    /// Whether an effect that is requested now would not be affected.
    func isOver(at now: Int) -> Bool { now >= (last.isEmpty ? end : end.saturatingAdding(interval)) }

    /// - Parameters:
    ///   - interval: in milliseconds.
    ///   - keepsLast: whether the newest run within the interval starts at its end.
    /// - Returns: nil if the run must not start.
    mutating func admit(_ runID: Int, now: Int, _ interval: Int, keepsLast: Bool, after answer: Int) -> Start? {
        if now >= end, !last.isEmpty {
            end = end.saturatingAdding(self.interval)
            last = []
            self.answer = -1
        }
        if now >= end {
            end = now.saturatingAdding(interval)
            self.interval = interval
            self.answer = answer
        }
        if self.answer == answer { return Start(delay: 0) }
        guard keepsLast else { return nil }
        let replaced = last.filter { $0 <= answer }
        last = last.filter { $0 > answer } + [runID]
        return Start(delay: end - now, replaced: replaced)
    }

    /// Forgets a run that was cancelled.
    @usableFromInline
    package mutating func forget(_ runID: Int) { last.removeAll { $0 == runID } }
}
