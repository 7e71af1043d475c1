import Foundation
import ProcessTesting
import Testing

/// The commands of the pages print what the pages show, run by a shell against the program that was built with the tests.
@Suite struct TranscriptTests {
    @Test(.timeLimit(.minutes(10))) func theTranscriptsAreTrue() async throws {
        let server = try #require(Products.directory).appending(path: "storehouse").path
        let run = try await ProgramResult.of(
            ProjectFile.url(of: "script/docs-test").path, [server], within: .seconds(570))
        #expect(run.status == 0, "\(run.output) \(run.errors)")
        for page in try DocumentationPage.all() { #expect(run.output.contains("==> \(page.path)\n")) }
        #expect(run.output.contains("==> the remote APIs in another process"))
    }
}
