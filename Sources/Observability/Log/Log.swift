import Platform

/// The log, with one line for each entry. Any thread may call it.
///
/// An entry below the level costs one comparison, because its message and fields are not evaluated. An entry cannot forge
/// another line: control characters are escaped in both formats.
///
///     let log = Log(configuration.log)
///     log.warning("the scale is out of order", [LogField("kitchen", 3)])
package struct Log: Sendable {
    private let threshold: UInt8
    package let format: LogFormat
    private let sink: any LogSink
    private let clock: @Sendable () -> Int

    /// - Parameters:
    ///   - level: the lowest level that is written.
    ///   - clock: milliseconds since 1970.
    package init(
        level: LogLevel, format: LogFormat, sink: any LogSink,
        clock: @escaping @Sendable () -> Int = systemTime
    ) {
        threshold = level.severity
        self.format = format
        self.sink = sink
        self.clock = clock
    }

    /// Writes an entry of the level `debug`.
    @inline(__always)
    package func debug(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField] = []) {
        if isEnabled(.debug) { write(.debug, message(), fields()) }
    }

    /// Writes an entry of the level `info`.
    @inline(__always)
    package func info(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField] = []) {
        if isEnabled(.info) { write(.info, message(), fields()) }
    }

    /// Writes an entry of the level `warning`.
    @inline(__always)
    package func warning(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField] = []) {
        if isEnabled(.warning) { write(.warning, message(), fields()) }
    }

    /// Writes an entry of the level `error`.
    @inline(__always)
    package func error(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField] = []) {
        if isEnabled(.error) { write(.error, message(), fields()) }
    }

    @inline(__always)
    package func isEnabled(_ level: LogLevel) -> Bool {
        level.severity >= threshold
    }

    /// Writes a message that the starter of the process waits for. It is written whatever the level of the log is.
    package func announce(_ message: String) { write(.info, message) }

    /// How many lines were lost because the reader of the log is too slow.
    package var lostLines: Int { sink.lostLines }

    /// Waits until all lines so far are written, but not for long. For the end of a process that does not call `exit`.
    package func flush() { sink.flush(within: .milliseconds(500)) }

    /// Writes an entry whatever the level of the log is.
    package func write(_ level: LogLevel, _ message: String, _ fields: [LogField] = []) {
        let time = clock()
        send(LogEntry(time: time, level: level, message: message, fields: fields).line(format), at: time)
    }

    private func send(_ line: [UInt8], at time: Int) {
        sink.write(line) { lost in
            LogEntry(time: time, level: .warning, message: "log lines were lost", fields: [.init("lost", lost)])
                .line(format)
        }
    }
}

/// The severity of a log entry.
package enum LogLevel: String, Sendable, CaseIterable {
    /// For those who look for a fault.
    case debug
    /// An event that is normal.
    case info
    /// A fault that the server handles, and that an operator should know.
    case warning
    /// A fault that somebody has to remove.
    case error
}

extension LogLevel: Comparable {
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.severity < right.severity
    }

    /// Counts up from 0.
    package var severity: UInt8 {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}

/// The format of a log line.
package enum LogFormat: String, Sendable, CaseIterable {
    /// Time, level, message, then `name=value`.
    case text
    /// An object with `time`, `level`, `message` and a member for each field.
    case json
}

/// The destination of log lines.
package protocol LogSink: Sendable {
    /// Writes one line with its line break, or queues it. It must not block. A line that cannot be written is lost.
    ///
    /// - Parameter notice: makes the line that reports lost lines, which is written before this one.
    func write(_ line: [UInt8], afterLoss notice: (_ lost: Int) -> [UInt8])

    /// How many lines were lost.
    var lostLines: Int { get }

    /// Waits until all lines so far are written, but not for long.
    func flush(within timeout: Duration)
}

extension LogSink {
    package var lostLines: Int { 0 }

    package func flush(within timeout: Duration) {}
}
