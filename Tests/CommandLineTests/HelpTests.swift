import CommandLine
import StoreHosting
import Testing

@Suite struct HelpTests {
    @Test func theListHasEveryCommandInOneLine() {
        let lines = Help.commands(of: "storehouse").split(separator: "\n")
        for name in Help.commandNames {
            #expect(lines.count { $0.hasPrefix("  \(name) ") } == 1, "\(name)")
        }
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(lines.contains("Exit codes: 0 success, 1 failure, 2 wrong command line or configuration."))
    }

    @Test(arguments: Help.commandNames)
    func aCommandIsExplained(name: String) throws {
        let text = try #require(Help.text(of: name, program: "hall"))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first?.hasPrefix("Usage: hall \(name)") == true)
        #expect(lines.contains("Exit codes"))
        for code in ["  0  ", "  1  ", "  2  "] { #expect(lines.contains { $0.hasPrefix(code) }) }
        #expect(text.contains("\nExample"))
        #expect(!text.contains("storehouse "))
        #expect(lines.allSatisfy { $0.count <= 110 })
        // Each flag of the usage has a line that explains it.
        let usage = lines.prefix { !$0.isEmpty }.joined().split { " []…".contains($0) }.filter { $0.hasPrefix("--") }
        for flag in Set(usage) { #expect(lines.contains { $0.hasPrefix("  \(flag) ") }, "\(flag)") }
    }

    /// The examples in the help work: every command line in them can be parsed.
    @Test(arguments: Help.commandNames)
    func theExamplesAreCommandLines(name: String) throws {
        let text = try #require(Help.text(of: name, program: "storehouse"))
        let start = try #require(text.ranges(of: "\nExample").last)
        var count = 0
        for line in text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false).dropFirst() {
            let parts = line.split { "()<>|".contains($0) }.flatMap { $0.split(separator: " && ") }
            for part in parts {
                let words = part.split(separator: " ").map { $0.filter { $0 != "'" } }
                guard words.first == "storehouse" else { continue }
                #expect(throws: Never.self, "\(part)") { try Invocation.parse(Array(words.dropFirst())) }
                count += 1
            }
        }
        #expect(count > 0)
    }

    /// A program of one's own has no `counter/increment`.
    @Test(arguments: Help.commandNames)
    func theExamplesHaveActionsOfTheProgram(name: String) throws {
        struct Hall: Sendable { var guests: [String] = [] }
        let hall = StoreDefinition("hall", "A hall.", Hall()) {
            Member("guests", \.guests)
            Action("book", "Books a seat.", .text("guest", 1...80, example: "Ada L"), .integer("row", 1...9)) {
                hall, guest, _ in
                hall.guests = [guest]
            }
        }
        let text = try #require(Help.text(of: name, program: "hall", kinds: [hall.kind]))
        for word in ["counter/", "animal/", "--store app", "app.ts"] { #expect(!text.contains(word)) }
        if name == "send" {
            #expect(text.contains(#"http://localhost:8080 hall/book 'guest:="Ada L"' 'row:=1' --store hall --wait 5"#))
        }
    }

    @Test func anUnknownCommandHasNoHelp() {
        #expect(Help.text(of: "sevre", program: "storehouse") == nil)
    }
}
