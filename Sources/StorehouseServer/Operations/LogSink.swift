/// Where lines of the log go.
package protocol LogSink: Sendable {
    /// Takes one line with its line break. Never blocks for long, never fails: a line that cannot be written is lost.
    ///
    /// - Parameter notice: the line that says how many were lost, to be written before this one.
    func write(_ line: [UInt8], afterLoss notice: (_ lost: Int) -> [UInt8])
}
