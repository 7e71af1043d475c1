import Platform
import Synchronization

/// The output of a command line program.
package enum Console {
    /// The error that standard output had first; 0 if it had none. It is none that nobody reads it any more.
    private static let failure = Atomic<Int32>(0)

    /// Prints text or JSON that others may have written: a terminal takes nothing in it for a command.
    ///
    /// - Returns: false if nobody reads the output any more, or if it cannot be written.
    @discardableResult
    package static func print(_ text: String) -> Bool { printUnescaped(text.escapedLikeJSON) }

    /// Prints text as it is, with its colours.
    ///
    /// - Returns: false if nobody reads the output any more, or if it cannot be written.
    @discardableResult
    package static func printUnescaped(_ text: String) -> Bool {
        let code = output(text + "\n", on: STDOUT_FILENO)
        record(code)
        return code == 0
    }

    /// Prints an error, without the passwords of URLs in it.
    package static func printError(_ text: String) {
        _ = output(text.withoutUserInfo.escapedLikeJSON + "\n", on: STDERR_FILENO)
    }

    /// Whether standard output is a terminal, which nobody keeps as a log.
    package static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal.
    package static var errorsAreOnTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard error is a terminal on which a line can be written again.
    package static var canRewriteErrors: Bool {
        errorsAreOnTerminal && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// Writes a text of this program to standard error, as it is.
    package static func writeToTerminal(_ text: String) { _ = output(text, on: STDERR_FILENO) }

    /// Whether somebody may still read what is printed.
    package static var hasReader: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) <= 0 || output.revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0
    }

    /// Has the system write what it still holds back of standard output.
    ///
    /// - Returns: why a part of the output is lost; nil if none is, or if nobody reads it any more.
    package static func finish() -> String? {
        // Some file systems tell only whoever closes a file that the disk is full. Each copy of a descriptor does.
        let copy = dup(STDOUT_FILENO)
        if copy >= 0, close(copy) != 0 { record(errno) }
        let code = failure.load(ordering: .relaxed)
        return code == 0 ? nil : String(cString: strerror(code))
    }

    private static func record(_ code: Int32) {
        guard code != 0, code != EPIPE else { return }
        _ = failure.compareExchange(expected: 0, desired: code, ordering: .relaxed)
    }

    /// - Returns: 0, or the error.
    private static func output(_ text: String, on descriptor: Int32) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
                continue
            }
            switch count < 0 ? errno : EIO {
            case EINTR: continue
            // Whoever started the program may have made the pipe non-blocking.
            case EAGAIN: awaitRoom(on: descriptor)
            case let code: return code
            }
        }
        return 0
    }

    private static func awaitRoom(on descriptor: Int32) {
        var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&event, 1, -1)
    }
}
