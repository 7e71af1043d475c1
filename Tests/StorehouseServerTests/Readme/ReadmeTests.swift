import HTTP
import StoreHosting
import StorehouseServer
import Testing

/// What the README says of the project is so.
@Suite struct ReadmeTests {
    private let readme: Readme

    init() throws { readme = try Readme() }

    @Test func theTableOfTheConfigurationIsTheConfiguration() {
        let table = Configuration.markdownTable
        let lines = Set(readme.text.split(separator: "\n"))
        let missing = table.split(separator: "\n").filter { !lines.contains($0) }
        #expect(missing.isEmpty)
        let isWholeAndAlone = readme.text.contains("\n\n" + table + "\n")
        #expect(isWholeAndAlone)
    }

    @Test func theTableOfProblemsHasEachWithItsStatus() {
        let rows = readme.rowsByNumber.map { "\($0[0]) \($0[1])" }.sorted()
        let problems = Problem.Code.allCases.map { "\($0.status.rawValue) `\($0.rawValue)`" }.sorted()
        #expect(rows == problems)
    }

    @Test func codeThatNamesItsFileStandsInThatFile() throws {
        let quoted = readme.blocks.filter { $0.info.hasPrefix("swift") }
        #expect(quoted.count >= 2)
        for block in quoted {
            let file = try ProjectFile.text(of: String(block.info.dropFirst("swift ".count)))
            #expect(file.contains(block.code), "\(block.info)")
        }
    }

    @Test func aKindOfYourOwnIsAWholeFileOfFortyLines() throws {
        let example = try ProjectFile.text(of: "Examples/Seats/main.swift")
        #expect(readme.blocks.contains { $0.code == example })
        #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 40)
    }

    @Test func filesThatAreNamedAreThere() {
        let folders = ["Sources", "Tests", "Examples", "Benchmarks", "script", "config", ".ci"]
        let rooms = ["Sockets", "HTTP", "JSON", "Stores", "StorehouseServer", "Upstream", "Journal"]
        var count = 0
        for word in readme.words where word.contains("/") && !word.contains(" ") {
            let first = String(word.prefix { $0 != "/" })
            let path = rooms.contains(first) ? "Sources/" + word : word
            guard folders.contains(String(path.prefix { $0 != "/" })) else { continue }
            #expect(ProjectFile.exists(path), "\(word)")
            count += 1
        }
        #expect(count > 30)
    }
}
