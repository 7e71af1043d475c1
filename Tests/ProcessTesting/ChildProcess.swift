import CProcessTesting
import Locks
import Platform

/// A program in a process of its own.
///
/// It inherits no file but its standard ones, and no blocked or ignored signal. Foundation's `Process` passes on pipes that other
/// threads open at the same moment. Reading such a pipe to its end waits for the end of an unrelated program.
package final class ChildProcess: Sendable {
    package struct NotStarted: Error {
        let path: String
        let code: Int32
    }

    package let id: Int32
    private let status = Promise<Int32>()
    // Guards the signals: nobody sends one to a number that the system may have given to another process.
    private let hasEnded = Locked(false)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the executable.
    ///   - environment: all its variables; nil for those of this process.
    ///   - directory: where it runs; nil for the directory of this process.
    ///   - output, errors: the pipes that it writes to; nil for none.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil, in directory: String? = nil,
        output: OutputPipe? = nil, errors: OutputPipe? = nil
    ) throws {
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { $0.map { strdup("\($0)=\($1)") } + [nil] } ?? []
        defer {
            for text in words + variables { free(text) }
            for pipe in [output, errors] { if let pipe { close(pipe.writeEnd) } }
        }
        var started: Int32 = 0
        let code = child_process_start(
            &started, words, environment == nil ? nil : variables, directory, output?.writeEnd ?? -1,
            errors?.writeEnd ?? -1)
        guard code == 0 else { throw NotStarted(path: path, code: code) }
        let id = started
        self.id = id
        // Swift's own threads must not block.
        let isAwaited = startThread { [self] in
            var value: Int32 = 0
            // The process stays known to the system until no signal is sent to it any more.
            Self.awaitEnd(of: id)
            hasEnded.withLock { hasEnded in
                hasEnded = true
                while waitpid(id, &value, 0) < 0, errno == EINTR {}
            }
            status.fulfill(value & 0x7f == 0 ? value >> 8 & 0xff : 128 + (value & 0x7f))
        }
        precondition(isAwaited, "the system has no thread left")
    }

    package var isRunning: Bool { !hasEnded.withLock { $0 } }

    /// Sends a signal, unless the process has ended.
    package func send(_ signal: Int32) {
        hasEnded.withLock { hasEnded in
            if !hasEnded { _ = kill(id, signal) }
        }
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: the exit code, or 128 + the signal that ended it.
    package func exitCode() async -> Int32 { await status.value() }

    /// Waits for the end of a process that was told to end, and kills it if that takes too long.
    ///
    /// - Returns: the exit code, or 128 + the signal that ended it; nil if it was killed here.
    package func exitCode(within limit: Duration) async -> Int32? {
        let timeout = Task {
            try await Task.sleep(for: limit)
            send(SIGKILL)
            return true
        }
        let code = await exitCode()
        timeout.cancel()
        return (try? await timeout.value) == true ? nil : code
    }

    /// Kills the process, and waits for its end. Blocks, but not for long.
    package func end() {
        hasEnded.withLock { hasEnded in
            guard !hasEnded else { return }
            _ = kill(id, SIGKILL)
            // Its number is not given to another process meanwhile, whose end this would await.
            Self.awaitEnd(of: id)
        }
    }

    /// Blocks until the process has ended. It stays known to the system.
    private static func awaitEnd(of id: Int32) {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }
}
