/// Decides when a node logs that it has refused another one.
///
/// All times are milliseconds of a monotonic clock.
package struct RefusedNodes: Sendable {
    /// One address is logged once with one reason in this time.
    package static let interval = 600_000
    /// More lines are not written in that time: whoever reaches the port can be refused, from any number of addresses.
    package static let maxLines = 64

    private struct Refusal: Hashable, Sendable {
        let address: String
        let reason: LinkVersion.Failure
    }

    /// The refusals that were logged, and when.
    private var logged: [Refusal: Int] = [:]

    package init() {}

    /// - Returns: whether to log it.
    package mutating func isRefused(_ address: String, _ reason: LinkVersion.Failure, now: Int) -> Bool {
        // No node sends such a greeting, so nobody has to mend anything.
        if case .malformed = reason { return false }
        logged = logged.filter { now - $0.value < Self.interval }
        let refusal = Refusal(address: address, reason: reason)
        guard logged[refusal] == nil, logged.count < Self.maxLines else { return false }
        logged[refusal] = now
        return true
    }
}
