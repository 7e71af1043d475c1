/// A named value of a log entry.
///
/// There is no field for bytes or whole documents: a body is never logged.
package struct LogField: Sendable {
    enum Value: Sendable {
        case text(String)
        case integer(Int)
        case number(Double)
        case flag(Bool)
    }

    /// Of letters, digits and underscores; not `time`, `level` or `message`.
    let name: StaticString
    let value: Value

    package init(_ name: StaticString, _ text: String) {
        self.name = name
        value = .text(text)
    }

    package init(_ name: StaticString, _ integer: Int) {
        self.name = name
        value = .integer(integer)
    }

    package init(_ name: StaticString, _ flag: Bool) {
        self.name = name
        value = .flag(flag)
    }

    /// A length of time, written in seconds to the microsecond.
    package init(_ name: StaticString, _ duration: Duration) {
        self.name = name
        value = .number(duration.inSeconds)
    }
}
