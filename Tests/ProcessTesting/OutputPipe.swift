import CProcessTesting
import Locks
import Platform

/// Reads the output of a program. No other program inherits the pipe.
package final class OutputPipe: Sendable {
    package struct TookTooLong: Error {
        /// The output until then.
        let text: String
    }

    private let readEnd: Int32
    /// ``ChildProcess`` gives it to its program, and closes it here.
    let writeEnd: Int32

    private static let isMakingTerminal = Locked(())

    /// - Parameter isTerminal: whether it is a terminal for the program.
    package init(isTerminal: Bool = false) {
        var ends: [Int32] = [0, 0]
        let code =
            isTerminal
            ? Self.isMakingTerminal.withLock { _ in child_process_terminal(&ends) } : child_process_pipe(&ends)
        precondition(code == 0, "the system has no file left for a pipe")
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit { close(readEnd) }

    /// The next bytes that the program has written; nil at the end. Blocks.
    package func readSome() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Platform.read(readEnd, &buffer, buffer.count)
            if count > 0 { return Array(buffer[..<count]) }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    /// Reads until the end, or until there is enough. Blocks.
    package func read(
        within limit: Duration = .seconds(60), until isEnough: (String) -> Bool = { _ in false }
    ) throws -> String {
        let end = ContinuousClock.now + limit
        var bytes: [UInt8] = []
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if isEnough(text) { return text }
            var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            let count = poll(&entry, 1, Int32(clamping: max(.zero, end - .now).wholeMilliseconds))
            if count == 0 { throw TookTooLong(text: text) }
            if count < 0, errno == EINTR { continue }
            guard let some = readSome() else { return text }
            bytes += some
        }
    }
}
