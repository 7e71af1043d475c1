/// Runs jobs one at a time, for whoever need not know what else it waits for.
package protocol SerialLoop: AnyObject, Sendable {
    /// Identifies the thread that the loop is running on.
    var anchor: LoopThread { get }

    /// Runs a job on the loop, in the order of calls, and never before this call returns. May be called from any
    /// thread.
    ///
    /// Only the first job that is added to a sleeping loop costs a wakeup.
    /// - Returns: false if the loop has ended; the job is discarded.
    @discardableResult
    func execute(_ job: @escaping @Sendable () -> Void) -> Bool
}

extension SerialLoop {
    /// Whether the caller runs on this loop.
    package var isCurrent: Bool { anchor.isCurrent }
}
