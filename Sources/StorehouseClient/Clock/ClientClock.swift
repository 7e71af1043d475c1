/// The time of a client, in milliseconds.
@MainActor
package protocol ClientClock: AnyObject, Sendable {
    /// A time that never goes back, and that also passes while the system sleeps.
    var now: Double { get }
    /// The time of day, since 1970.
    var wallTime: Double { get }

    /// Runs something once.
    ///
    /// - Parameter delay: milliseconds; 0 is as soon as nothing else is to be done.
    func schedule(after delay: Double, _ run: @escaping @MainActor @Sendable () -> Void) -> any ClientTimer
}

/// Something that will be run.
@MainActor
package protocol ClientTimer: AnyObject, Sendable {
    /// Nothing is run any more.
    func cancel()
}
