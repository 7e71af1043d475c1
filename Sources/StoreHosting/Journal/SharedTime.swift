/// The clock that all processes of a shared storage have in common, so that none of them depends on a clock of its own.
public struct SharedTime: Sendable {
    /// Milliseconds since 1970.
    public let now: @Sendable () -> Int
    /// Whether the clock of this machine agrees with it. If not, nobody knows which of the two is wrong, and nothing may be deleted
    /// because of its age.
    public let isTrusted: @Sendable () -> Bool
    /// Why this process should get no requests, because the clocks differ for some time; nil if they do not.
    public let problem: @Sendable () -> String?

    /// Makes it from functions that any thread may call.
    public init(
        now: @escaping @Sendable () -> Int, isTrusted: @escaping @Sendable () -> Bool,
        problem: @escaping @Sendable () -> String?
    ) {
        (self.now, self.isTrusted, self.problem) = (now, isTrusted, problem)
    }
}
