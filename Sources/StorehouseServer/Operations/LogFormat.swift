/// How a line of the log is written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// Time, level, message, then `name=value`.
    case text
    /// An object with `time`, `level`, `message` and a member for each field.
    case json
}
