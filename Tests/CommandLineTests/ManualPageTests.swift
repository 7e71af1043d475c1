import CommandLine
import ProcessTesting
import StorehouseServer
import Testing

@Suite struct ManualPageTests {
    private static let page = ManualPage(program: "hall")

    @Test func thePageOfTheProgramHasEveryCommand() {
        let text = Self.page.text(of: nil)
        #expect(text.hasPrefix(#".TH "HALL" 1 "" "hall \#(StorehouseVersion.current)" "hall manual""#))
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "CONFIGURATION", "EXIT STATUS"] {
            #expect(text.contains("\n.SH \(section)\n"))
        }
        for name in Help.commandNames {
            #expect(text.contains(": \(name.replacing("-", with: #"\-"#))\"\n"), "\(name)")
        }
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(!text.contains("storehouse "))
    }

    @Test func thePageOfACommandExplainsIt() {
        let text = Self.page.text(of: "serve")
        #expect(text.contains("\n.SH NAME\nhall\\-serve \\- serve sessions over HTTP"))
        #expect(text.contains("\n.TP\n.B \\-\\-port N\nlisten on this port (http.port); 0 takes a free one\n"))
        #expect(text.contains("\n.EX\nhall serve \\-\\-port 8080\n"))
        #expect(text.contains("\n.SH SEE ALSO\n.BR hall (1)"))
    }

    /// groff warns of everything that it does not know.
    @Test(.enabled(if: Tool("groff") != nil), arguments: [nil] + Help.commandNames)
    func thePageIsValid(command: String?) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.page.text(of: command) + "\n", to: "page.1")
        let result = try await #require(Tool("groff")).run(["-man", "-ww", "-Tutf8", "-P-cbou", file])
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        let words = result.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains(command.map { "hall-\($0) - " } ?? "hall - keeps one store per session"))
        if command == "send" { #expect(words.contains("key:=JSON gives a value as JSON")) }
        if command == "token" { #expect(words.contains(#"-H "Authorization: Bearer $(hall token"#)) }
    }

    @Test(.enabled(if: Tool("mandoc") != nil), arguments: [nil, "serve"])
    func mandocFindsNoError(command: String?) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.page.text(of: command) + "\n", to: "page.1")
        let result = try await #require(Tool("mandoc")).run(["-T", "lint", "-W", "error", file])
        #expect(result.status == 0, "\(result.output)")
    }
}
