/// Decides when a problem that lasts is logged, and when it is logged again.
///
/// All times are milliseconds of a monotonic clock.
package struct LastingProblem: Sendable {
    private let firstAfter: Int
    private let changedAfter: Int
    private let sameAfter: Int
    /// When it began.
    private var start: Int?
    /// The reason that was logged last, and when.
    private var logged: (reason: String, at: Int)?

    /// - Parameters:
    ///   - firstAfter: how long the problem lasts before it is logged.
    ///   - changedAfter: how long no other reason is logged.
    ///   - sameAfter: how long the same reason is not logged again; for ever by default.
    package init(firstAfter: Int = 0, changedAfter: Int, sameAfter: Int = .max) {
        self.firstAfter = firstAfter
        self.changedAfter = changedAfter
        self.sameAfter = sameAfter
    }

    /// The problem is there.
    ///
    /// - Returns: whether to log it.
    package mutating func occurs(_ reason: String, now: Int) -> Bool {
        let start = start ?? now
        self.start = start
        let (since, interval) =
            logged.map { ($0.at, $0.reason == reason ? sameAfter : changedAfter) } ?? (start, firstAfter)
        guard now - since >= interval else { return false }
        logged = (reason, now)
        return true
    }

    package var isLogged: Bool { logged != nil }

    /// The problem is gone.
    ///
    /// - Returns: whether it was logged.
    package mutating func ends() -> Bool {
        defer { (start, logged) = (nil, nil) }
        return isLogged
    }
}
