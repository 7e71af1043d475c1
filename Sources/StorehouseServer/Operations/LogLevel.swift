/// How much an entry of the log matters.
public enum LogLevel: String, Sendable, CaseIterable {
    case debug, info, warning, error
}

extension LogLevel: Comparable {
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
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
