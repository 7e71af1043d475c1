// How long sessions live. The defaults depend on the storage: whoever pays for a disk expects to find things there.
extension Configuration.Sessions {
    /// - Parameter isDurable: whether sessions are read back after a restart.
    /// - Returns: zero for no limit.
    package func idleTimeout(isDurable: Bool) -> Duration { idleTimeout ?? (isDurable ? .zero : .seconds(86_400)) }

    /// - Parameter isDurable: whether sessions are read back after a restart.
    /// - Returns: zero for no limit.
    package func unusedTimeout(isDurable: Bool) -> Duration {
        unusedTimeout ?? (isDurable ? .seconds(86_400) : .seconds(600))
    }
}
