/// When a refusal leaves that must not tell whether there is a session.
///
/// To look for a session that there is not takes less time than to load one and to ask its state. So these refusals leave at set times
/// after their requests, the same for both.
package enum RefusalTimes {
    /// The time from one of them to the next, in nanoseconds.
    package static let interval = 10_000_000

    /// How long a refusal waits.
    ///
    /// - Parameter age: the time since the request was complete, in nanoseconds.
    package static func delay(of age: Int) -> Duration { .nanoseconds(interval - age % interval) }
}
