/// Why a channel is closed.
package enum CloseReason: Sendable, Hashable {
    /// Its owner closed it.
    case requested
    /// The peer broke the connection off.
    case reset
    /// A system call failed with this `errno`.
    case failed(code: Int32)
    /// The loop was stopped.
    case loopStopped
}
