import Locks
package import Observability

/// Counts the sessions that expire, for one line in the log a minute.
package final class ExpiryReport: Sendable {
    /// The timeout that has ended a session.
    package enum Cause: Int, CaseIterable, Sendable {
        case idle, unused
    }

    private struct Contents {
        var counts = [0, 0]
        /// By the kind of store. Of sessions that were not in memory, it is not always known.
        var kinds: [String: Int] = [:]
        var interval = ReportInterval()
    }

    private let timeouts: [Int]
    // Taken last.
    private let contents = Locked(Contents())

    package init(_ policy: SessionPolicy) { timeouts = [policy.idleTimeout, policy.unusedTimeout] }

    /// - Parameter kind: nil if it is not known.
    package func add(_ cause: Cause, of kind: String?) {
        contents.withLock { contents in
            contents.counts[cause.rawValue] += 1
            if let kind { contents.kinds[kind, default: 0] += 1 }
        }
    }

    /// Writes the line if a session has expired since the last one, and that was a minute ago.
    ///
    /// - Parameters:
    ///   - now: milliseconds of any clock that does not step.
    ///   - isLast: whether no other line follows, so that the minute does not count.
    package func write(to log: Log, now: Int, isLast: Bool = false) {
        let finished: Contents? = contents.withLock { contents in
            guard contents.counts != [0, 0], contents.interval.isDue(now: now) || isLast else { return nil }
            defer { contents = Contents(interval: contents.interval) }
            return contents
        }
        guard let finished else { return }
        let kinds = finished.kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        log.info(
            message(finished.counts),
            kinds.isEmpty ? [] : [.init("stores", kinds.joined(separator: ", "))])
    }

    private func message(_ counts: [Int]) -> String {
        let parts = Cause.allCases.filter { counts[$0.rawValue] > 0 }.map { cause in
            let count = counts[cause.rawValue]
            let time = timeouts[cause.rawValue].asTime
            let sessions = count == 1 ? "1 session" : "\(count) sessions"
            return switch cause {
            case .idle: "\(sessions) ended because nobody used them for \(time) (sessions.idleTimeout)"
            case .unused:
                "\(sessions) ended because nobody used them within \(time) of their creation (sessions.unusedTimeout)"
            }
        }
        return parts.joined(separator: "; ")
    }
}

extension Int {
    /// Milliseconds in the largest unit that leaves no fraction.
    fileprivate var asTime: String {
        let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s")]
        // A day is better known as 24 hours.
        let unit = units.first { isMultiple(of: $0.0) && self / $0.0 > 1 } ?? units.last { isMultiple(of: $0.0) }
        return unit.map { "\(self / $0.0) \($0.1)" } ?? "\(self) ms"
    }
}
