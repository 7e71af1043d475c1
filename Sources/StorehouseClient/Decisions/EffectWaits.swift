/// Knows when the effects of entries have ended, as far as events tell.
package struct EffectWaits {
    private static let remembered = 200
    private static let finals: Set = ["succeeded", "failed", "cancelled"]

    private struct Wait {
        /// The effects have causes with these revisions.
        let causes: ClosedRange<Int>
        var left: Int
        let settle: (Bool) -> Void
    }

    /// The causes of effects that have ended, one for each effect.
    private var ended: [Int] = []
    private var waits: [Wait] = []

    package init() {}

    package mutating func hear(phase: String, cause: Int) {
        guard Self.finals.contains(phase) else { return }
        ended.append(cause)
        if ended.count > Self.remembered { ended.removeFirst(ended.count - Self.remembered) }
        for index in waits.indices where waits[index].causes.contains(cause) { waits[index].left -= 1 }
        for wait in waits where wait.left <= 0 { wait.settle(true) }
        waits.removeAll { $0.left <= 0 }
    }

    /// The ends of effects are not told again after a loss.
    package mutating func lose() {
        for wait in waits { wait.settle(false) }
        waits = []
    }

    /// - Parameters:
    ///   - revisions: those that the entry has made.
    ///   - count: how many effects it has started.
    ///   - isHeard: whether events tell of their ends.
    ///   - settle: gets whether all of them have ended; false if nobody knows.
    package mutating func wait(
        for revisions: ClosedRange<Int>, count: Int, isHeard: Bool, _ settle: @escaping (Bool) -> Void
    ) {
        let left = count - ended.filter { revisions.contains($0) }.count
        if left <= 0 { return settle(true) }
        guard isHeard else { return settle(false) }
        waits.append(Wait(causes: revisions, left: left, settle: settle))
    }
}
