/// Where lines of the log go.
package protocol LogSink: Sendable {
    /// Takes one line with its line break. Never blocks for long, never fails: a line that cannot be written is lost.
    func write(_ line: [UInt8])
}
