import Locks
import Platform

/// What a program wrote, and how it ended.
package struct ProgramResult: Sendable {
    /// The exit code, or 128 + the signal that ended it.
    package let status: Int32
    package let output: String
    package let errors: String

    /// Runs a program to its end, and kills it if that takes too long.
    ///
    /// - Parameter directory: where it runs; nil for the directory of this process.
    package static func of(
        _ path: String, _ arguments: [String], in directory: String? = nil, within limit: Duration = .seconds(120)
    ) async throws -> ProgramResult {
        let (output, errors) = (OutputPipe(), OutputPipe())
        let process = try ChildProcess(
            path, arguments, in: directory, output: output, errors: errors)
        async let text = read(output, limit)
        async let problems = read(errors, limit)
        let texts = await [text, problems]
        if texts.contains(where: { (try? $0.get()) == nil }) { process.send(SIGKILL) }
        return ProgramResult(status: await process.exitCode(), output: try texts[0].get(), errors: try texts[1].get())
    }

    /// A thread that waits here is none of those that run the tests.
    private static func read(_ pipe: OutputPipe, _ limit: Duration) async -> Result<String, any Error> {
        await Promise.value { done in
            precondition(startThread { done(Result { try pipe.read(within: limit) }) }, "no thread is left")
        }
    }
}
