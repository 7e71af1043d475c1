import Foundation
import Testing

/// The commands of the pages print what the pages show, run by a shell against the program that was built with the tests.
@Suite struct TranscriptTests {
    @Test(.timeLimit(.minutes(3))) func theTranscriptsAreTrue() async throws {
        let server = try #require(Products.directory).appending(path: "storehouse").path
        let run = try await Self.run(ProjectFile.url(of: "script/docs-test"), [server])
        #expect(run.status == 0, "\(run.output)")
        for page in try DocumentationPage.all() { #expect(run.output.contains("==> \(page.path)\n")) }
        #expect(run.output.contains("==> the remote APIs in another process"))
    }

    private static func run(_ program: URL, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        let text: Data = try await withCheckedThrowingContinuation { continuation in
            do {
                try runLikeAShell(process)
            } catch {
                return continuation.resume(throwing: error)
            }
            // A thread that waits here is none of those that run the tests.
            DispatchQueue(label: "documentation").async {
                continuation.resume(with: Result { try output.fileHandleForReading.readToEnd() ?? Data() })
            }
        }
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    /// Starts a process that gets all signals. Threads of libdispatch block them, and processes inherit that.
    private static func runLikeAShell(_ process: Process) throws {
        var (none, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        try process.run()
    }
}
