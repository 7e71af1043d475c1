import CommandLine
import Foundation
import ProcessTesting
import Security
import Testing

@Suite("storehouse token")
struct TokenCommandTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let now = 1_700_000_000_000

    /// The token that is signed with the secret in a file.
    private func token(secretIn text: String) throws -> String {
        let folder = try TemporaryFolder()
        let path = folder.path + "/secret"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let arguments = ["token", "--secret-file", path, "--sub", "ada"]
        guard case .token(let command) = try Invocation.parse(arguments, program: "storehouse") else {
            throw CommandFailure("these arguments are of another command")
        }
        return try command.token(now: Self.now).text
    }

    @Test("reads a secret as the server does: without one line end behind it")
    func lineEnds() throws {
        let plain = try token(secretIn: Self.secret)
        #expect(try token(secretIn: Self.secret + "\n") == plain)
        #expect(try token(secretIn: Self.secret + "\r\n") == plain)
        for end in [" ", "\n\n", " \n", "\t"] {
            #expect(throws: CommandFailure.self, "\(end.debugDescription)") { try token(secretIn: Self.secret + end) }
        }
    }
}
