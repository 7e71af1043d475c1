import Observability

/// An error in the command line. The exit code is 2.
package struct UsageError: Error, Sendable, Hashable {
    /// The text for standard error.
    package let description: String
}

extension UsageError: CustomStringConvertible {}

extension UsageError {
    /// An error of one line, without the passwords of URLs in it. ``Invocation/parse(_:program:)`` adds a pointer to the help.
    static func wrong(_ detail: String) -> UsageError {
        UsageError(description: detail.withoutUserInfo.escapedForOneLine)
    }
}

/// Why a command failed. The exit code is 1.
package struct CommandFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text for standard error, without the name of the program.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
