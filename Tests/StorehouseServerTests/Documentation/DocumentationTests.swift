import HTTP
import RemoteServices
import StorehouseServer
import Stores
import Testing

/// README.md, docs/ and the other pages tell the truth about the project.
@Suite struct DocumentationTests {
    private let pages: [DocumentationPage]

    init() throws { pages = try DocumentationPage.all() }

    private func page(_ path: String) throws -> DocumentationPage {
        try #require(pages.first { $0.path == path }, "\(path) is missing")
    }

    @Test func noPageWrittenByHandIsLong() throws {
        for page in pages where !page.path.hasPrefix("docs/reference/") {
            let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            let most = page.path == "README.md" ? 180 : 200
            #expect(lines <= most, "\(page.path) has more than \(most) lines")
        }
    }

    @Test func theIndexLinksEveryPage() throws {
        let index = try page("docs/README.md")
        let linked = index.links.map { ProjectFile.path(of: $0, from: index.path) }
        #expect(try page("README.md").links.contains(index.path))
        for page in pages where page.path != index.path {
            #expect(linked.contains(page.path), "\(index.path) has no link to \(page.path)")
        }
    }

    /// A recipe that takes JSON apart by a pattern breaks when a member is added.
    @Test func noRecipeReadsJSONByAPattern() {
        for page in pages {
            for block in page.blocks where block.info.hasPrefix("sh") {
                #expect(!block.code.contains("sed 's/"), "\(page.path): \(block.code)")
            }
        }
    }

    @Test func everyLinkLeadsSomewhere() throws {
        var count = 0
        for page in pages {
            for link in page.links where !link.hasPrefix("https://") {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target = parts[0].isEmpty ? page.path : ProjectFile.path(of: String(parts[0]), from: page.path)
                #expect(ProjectFile.exists(target), "\(page.path) links \(link): there is no \(target)")
                if parts.count > 1 {
                    let anchors = try pages.first { $0.path == target }?.anchors ?? DocumentationPage(target).anchors
                    let isHeading = anchors.contains(String(parts[1]))
                    #expect(isHeading, "\(page.path) links \(link): there is no such heading in \(target)")
                }
                count += 1
            }
        }
        #expect(count > 30)
    }

    @Test func everyFileThatIsNamedExists() throws {
        let folders = [
            "Sources", "Tests", "Clients", "Examples", "Benchmarks", "Fuzz", "script", "config", "docs", ".ci",
        ]
        let modules = try Set(ProjectFile.paths(below: "Sources").map { $0.split(separator: "/")[1] })
        var count = 0
        for page in pages {
            for span in page.spans where span.contains("/") {
                let word = span.prefix { $0 != " " }
                let first = word.prefix { $0 != "/" }
                let path = modules.contains(first) ? "Sources/" + word : String(word)
                guard folders.contains(String(path.prefix { $0 != "/" })) else { continue }
                #expect(ProjectFile.exists(path), "\(page.path) names \(span): there is no file \(path)")
                count += 1
            }
        }
        #expect(count > 60)
    }

    @Test func everyProgramThatSwiftRunsIsATarget() throws {
        let examples = try ProjectFile.paths(below: "Examples").filter { $0.hasSuffix("/Package.swift") }
        let manifests = try (["Package.swift"] + examples).map { try ProjectFile.text(of: $0) }
        var count = 0
        for page in pages {
            for span in page.spans where span.hasPrefix("swift run ") {
                let program = span.split(separator: " ")[2]
                let isTarget = manifests.contains { $0.contains("name: \"\(program)\"") }
                #expect(isTarget, "\(page.path) names \(span): no Package.swift has a target \(program)")
                count += 1
            }
        }
        #expect(count > 0)
    }

    @Test func quotedCodeStandsInItsFile() throws {
        let languages: Set<Substring> = ["swift", "python", "go", "ts", "html"]
        var count = 0
        for page in pages {
            for block in page.blocks
            where languages.contains(block.info.prefix { $0 != " " }) && block.info != "swift library" {
                let path = String(block.info.drop { $0 != " " }.dropFirst())
                let file = try ProjectFile.text(of: path)
                let isQuoted = file.contains(block.code)
                #expect(isQuoted, "\(page.path) quotes \(path), which does not have this code:\n\(block.code)")
                count += 1
            }
        }
        #expect(count >= 2)
    }

    @Test func aStoreOfYourOwnIsAWholeFileOfTwentyLines() throws {
        let example = try ProjectFile.text(of: "Examples/Seats/Sources/seats/Hall.swift")
        #expect(try page("README.md").blocks.contains { $0.code == example })
        #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 20)
    }

    @Test func theComparisonCountsRight() throws {
        let page = try page("docs/comparison.md")
        let counts = page.blocks.map { block in
            let words = block.code.lowercased().split { !$0.isLetter }
            let lines = block.code.split(separator: "\n").count
            return "\(lines) \(words.count { ["book", "clear"].contains($0) }) \(words.count { $0 == "guests" })"
        }
        let rows = page.rows(below: "| library | lines | actions | member |")
        #expect(rows.map { $0.dropFirst().joined(separator: " ") } == counts)
        #expect(rows.map { "## " + $0[0] } == page.prose.filter { $0.hasPrefix("## ") }.map(String.init))
    }

    /// Code that is only indented would not be tested.
    @Test func allCodeIsFenced() {
        for page in pages {
            for line in page.prose { #expect(!line.hasPrefix("    "), "\(page.path): \(line)") }
        }
    }

    @Test func theTableOfProblemsHasEachWithItsTitle() throws {
        let rows = try page("docs/errors.md").rows(below: "| status | code | title |").map { row in
            "\(row[0]) \(row[1].drop { $0 == "[" }.prefix { $0 != "]" }) \(row[2])"
        }
        let problems = Problem.Code.allCases.map { "\($0.status.rawValue) `\($0.rawValue)` \($0.title)" }
        expectTheSame(rows, problems, in: "docs/errors.md")
    }

    @Test func eachProblemHasAHeading() {
        let headings = pages.filter { $0.path.hasPrefix("docs/errors/") }.flatMap(\.prose)
            .filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
        let codes = Problem.Code.allCases.map(\.rawValue)
        expectTheSame(headings, codes, in: "docs/errors")
    }

    @Test func theTableOfRemoteFailuresHasEach() throws {
        let rows = try page("docs/remote-calls.md").rows(below: "| code | when |").map { $0[0] }
        expectTheSame(rows, RemoteFailure.Code.allCases.map { "`\($0.rawValue)`" }, in: "docs/remote-calls.md")
    }

    private func expectTheSame(_ rows: [String], _ declared: [String], in path: String) {
        for row in Set(rows).subtracting(declared).sorted() { Issue.record("\(path): nothing declares \(row)") }
        for row in Set(declared).subtracting(rows).sorted() { Issue.record("\(path) has no row for \(row)") }
        #expect(rows.count == declared.count)
    }

    @Test func theScreenshotIsAPictureThatLoadsFast() throws {
        let picture = try ProjectFile.contents(of: "docs/inspector.png")
        #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(picture.count < 150_000)
    }
}
