/// The clock that all processes of a shared storage have in common, so that none of them depends on a clock of its own.
package struct SharedTime: Sendable {
    /// Milliseconds since 1970.
    package let now: @Sendable () -> Int
    /// Whether the clock of this machine agrees with it. If not, nobody knows which of the two is wrong, and nothing may be deleted
    /// because of its age.
    package let isTrusted: @Sendable () -> Bool
    /// Why this process should get no requests, because the clocks differ for some time; nil if they do not.
    package let problem: @Sendable () -> String?

    /// Makes it from functions that any thread may call.
    package init(
        now: @escaping @Sendable () -> Int, isTrusted: @escaping @Sendable () -> Bool,
        problem: @escaping @Sendable () -> String?
    ) {
        (self.now, self.isTrusted, self.problem) = (now, isTrusted, problem)
    }
}
