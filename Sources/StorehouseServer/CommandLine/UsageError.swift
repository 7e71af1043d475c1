/// Why the words of a command line make no sense; the exit code is 2.
package struct UsageError: Error, Sendable, Hashable {
    /// What to print on standard error.
    package let description: String
}

extension UsageError: CustomStringConvertible {}

extension UsageError {
    /// What is wrong, in a line, and where to read more.
    static func wrong(_ detail: String) -> UsageError {
        UsageError(description: "storehouse: \(detail.escapedForOneLine)\nTry: storehouse --help")
    }
}
