import Observability
import Platform

/// The terminal of a client command, and the clock. Tests replace them.
package struct ClientTerminal: Sendable {
    /// Whether lines have colours.
    package var inColor: Bool
    /// Whether a person reads the output.
    package var isInteractive = false
    package var clock = LocalClock.system
    /// Writes a line for the reader; false if nobody reads any more.
    package var print: @Sendable (String) -> Bool
    /// Whether somebody may still read the lines.
    package var hasReader: @Sendable () -> Bool
    package var sleep: @Sendable (Duration) async throws -> Void
    package var input = CommandInput.system
    /// Writes a line about the command itself, which is no result.
    package var warn: @Sendable (String) -> Void = { Console.printError($0) }
    /// Shows an address in a browser; false if there is none.
    package var browse: @Sendable (String) -> Bool = { _ in false }

    package init(
        inColor: Bool, print: @escaping @Sendable (String) -> Bool,
        hasReader: @escaping @Sendable () -> Bool = { true },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.inColor = inColor
        self.print = print
        self.hasReader = hasReader
        self.sleep = sleep
    }

    /// The terminal of the process.
    static var system: ClientTerminal {
        var terminal = ClientTerminal(
            inColor: Console.hasColor, print: { Console.printUnescaped($0) }, hasReader: { Console.hasReader })
        terminal.isInteractive = isatty(STDOUT_FILENO) == 1
        terminal.browse = { Browser.system?.show($0) ?? false }
        return terminal
    }

    var ink: TerminalInk { TerminalInk(inColor: inColor) }

    /// Writes text or JSON that others may have written: a terminal takes nothing in it for a command.
    @discardableResult
    func printEscaped(_ text: String) -> Bool { print(text.escapedLikeJSON) }
}

extension Console {
    /// Whether standard output is a terminal that shows colours, and the user wants them (no-color.org).
    static var hasColor: Bool {
        func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        return isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").isEmpty && variable("TERM") != "dumb"
    }
}
