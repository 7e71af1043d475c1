// How long sessions live. The defaults depend on the storage: whoever pays for a disk expects to find things there.
extension Configuration.Sessions {
    /// - Parameter outlivesProcess: whether sessions are read back after a restart.
    /// - Returns: zero for no limit.
    package func idleTimeout(outlivesProcess: Bool) -> Duration {
        idleTimeout ?? (outlivesProcess ? .zero : .seconds(86_400))
    }

    /// - Parameter outlivesProcess: whether sessions are read back after a restart.
    /// - Returns: zero for no limit.
    package func unusedTimeout(outlivesProcess: Bool) -> Duration {
        unusedTimeout ?? (outlivesProcess ? .seconds(86_400) : .seconds(600))
    }
}
