import Locks
import Platform

/// The output of a program, and how it ended.
package struct ProgramResult: Sendable {
    /// The exit code, or 128 + the signal that ended it.
    package let status: Int32
    package let output: String
    package let errors: String

    /// Runs a program to its end, and kills it if that takes too long.
    ///
    /// - Parameters:
    ///   - environment: all its variables; nil for those of this process.
    ///   - directory: where it runs; nil for the directory of this process.
    package static func of(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil, in directory: String? = nil,
        within limit: Duration = .seconds(120)
    ) async throws -> ProgramResult {
        let (output, errors) = (OutputPipe(), OutputPipe())
        let process = try ChildProcess(
            path, arguments, environment: environment, in: directory, output: output, errors: errors)
        do {
            async let text = onOwnThread { try output.read(within: limit) }
            async let problems = onOwnThread { try errors.read(within: limit) }
            let (output, errors) = try await (text, problems)
            return ProgramResult(status: await process.exitCode(), output: output, errors: errors)
        } catch {
            process.send(SIGKILL)
            throw error
        }
    }
}
