import Platform

/// The texts that a command reads beside its command line. Tests replace them.
package struct CommandInput: Sendable {
    /// Whether standard input is a terminal, at which a person can answer.
    package var isTerminal: Bool
    /// The whole content of a file; `-` is standard input.
    package var contents: @Sendable (_ path: String) throws -> [UInt8]
    /// Asks a person for a text that is not shown; nil if the person gives none.
    package var secret: @Sendable (_ prompt: String) -> String?
    /// Asks a person for a word that is shown.
    package var answer: @Sendable (_ question: String) -> String?

    package init(
        isTerminal: Bool = false, contents: @escaping @Sendable (String) throws -> [UInt8] = { _ in [] },
        secret: @escaping @Sendable (String) -> String? = { _ in nil },
        answer: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        (self.isTerminal, self.contents, self.secret, self.answer) = (isTerminal, contents, secret, answer)
    }

    /// The longest file.
    private static let maxBytes = 64 << 20

    /// The input of the process.
    static var system: CommandInput {
        CommandInput(
            isTerminal: isatty(STDIN_FILENO) == 1,
            contents: { path in
                do throws(FileError) {
                    return try FileContents.contents(of: path == "-" ? "/dev/stdin" : path, atMost: maxBytes)
                } catch {
                    throw CommandFailure((path == "-" ? "standard input" : path) + ": \(error)")
                }
            },
            secret: { prompt in
                guard let text = getpass(prompt) else { return nil }
                // The library keeps the text in a place of its own.
                defer { memset(text, 0, strlen(text)) }
                return String(cString: text)
            },
            answer: { question in
                // Standard output is for results.
                _ = question.withCString { write(STDERR_FILENO, $0, strlen($0)) }
                return readLine()
            })
    }

    /// The text of a file without one line end at its end. Of standard input at a terminal it is a line that is not shown.
    ///
    /// - Parameter name: what the text is for.
    func text(of path: String, for name: String) throws -> String {
        if path == "-", isTerminal {
            guard let text = secret("\(name): ") else { throw CommandFailure("there is no value for '\(name)'") }
            return text
        }
        guard let text = String(validating: try contents(path), as: UTF8.self) else {
            throw CommandFailure((path == "-" ? "standard input" : path) + " has no UTF-8 text")
        }
        guard let last = text.last, last.isNewline else { return text }
        return String(text.dropLast())
    }
}
