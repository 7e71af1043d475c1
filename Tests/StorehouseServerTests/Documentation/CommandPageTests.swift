import CommandLine
import Testing

/// docs/reference/commands.md shows the help of every command.
@Suite struct CommandPageTests {
    @Test(arguments: Help.commandNames)
    func theHelpOfACommandIsShown(name: String) throws {
        let page = try DocumentationPage("docs/reference/commands.md")
        let help = try #require(Help.text(of: name, program: "storehouse"))
        let isShown = page.blocks.contains { $0.code == help + "\n" }
        #expect(isShown, "docs/reference/commands.md does not show the help of '\(name)'; run script/command-reference")
        #expect(page.prose.contains("### \(name)"))
    }
}
