import ServerWiring
import StoreHosting
import StoreKinds
import StorehouseServer
import Testing

/// The pages agree with the declarations of the configuration keys.
@Suite struct ConfigurationPageTests {
    private let reference: StorehouseConfiguration

    init() throws {
        reference = try StorehouseConfiguration(services: StoreKind.all.flatMap(\.services))
    }

    /// script/configuration-table reads the correct table from the message of this test.
    @Test func theTableOfKeysIsMadeFromTheirDeclarations() throws {
        let page = try DocumentationPage("docs/reference/configuration.md")
        let start = try #require(
            page.prose.firstIndex { $0.hasPrefix("| key |") }, "docs/reference/configuration.md has no table of keys")
        let table = page.prose[start...].prefix { $0.hasPrefix("|") }.map(String.init)
        let right = reference.markdownTable.split(separator: "\n").map(String.init)
        let differing = zip(table, right).first { $0 != $1 }
        let isRight = table == right
        #expect(
            isRight,
            """
            docs/reference/configuration.md does not show the keys as they are declared, first in this line:
            \(differing?.1 ?? "(more or fewer lines)")
            Run script/configuration-table. The right table:
            \(right.joined(separator: "\n"))
            """)
    }

    @Test func everyKeyThatIsNamedExists() throws {
        let paths = reference.keys.map(\.path)
        let sections = Set(paths.map { $0.prefix { $0 != "." } })
        for page in try DocumentationPage.all() {
            for span in page.spans where sections.contains(span.prefix { $0 != "." }) && span.contains(".") {
                let name = span.prefix { $0.isLetter || $0.isNumber || $0 == "." }
                let isKnown =
                    name.hasPrefix("upstreams.quotes.") || paths.contains { $0 == name || $0.hasPrefix(name + ".") }
                #expect(isKnown, "\(page.path) names \(span), which is no key")
            }
        }
    }

    /// In blocks that are run, the server itself refuses an unknown variable.
    @Test func everyVariableThatIsNamedExists() throws {
        let keys = reference.keys
        let variables = Set(
            keys.map(\.variable) + keys.filter(\.mayHoldSecret).map(\.fileVariable) + [clientVariable])
        var count = 0
        for page in try DocumentationPage.all() {
            let code = page.spans + page.blocks.filter { $0.info == "sh not-run" }.map(\.code)
            for word in code.flatMap({ $0.split { !$0.isLetter && $0 != "_" } }) where word.hasPrefix("STOREHOUSE_") {
                guard word != "STOREHOUSE_" else { continue }
                let isKnown = variables.contains(String(word))
                #expect(isKnown, "\(page.path) names \(word), which nobody reads")
                count += 1
            }
        }
        #expect(count > 4)
    }

    @Test func theContainerIsStartedAsItsDockerfileSays() throws {
        let dockerfile = try ProjectFile.text(of: "Dockerfile").split(separator: "\n")
        let page = try DocumentationPage("docs/deployment.md")
        let block = try #require(page.blocks.first { $0.code.contains("docker run") })
        let words = block.code.split { $0 == " " || $0 == "\n" }
        func value(_ flag: String) throws -> Substring {
            let place = try #require(words.firstIndex { $0 == flag }, "docker run has no \(flag)")
            return try #require(words[place + 1].split(separator: ":").last)
        }
        #expect(dockerfile.contains("EXPOSE \(try value("-p"))"))
        #expect(dockerfile.contains("VOLUME \(try value("-v"))"))
        for argument in page.spans where argument.hasSuffix("_IMAGE") {
            #expect(dockerfile.contains { $0.hasPrefix("ARG \(argument)=") }, "the Dockerfile has no \(argument)")
        }
    }
}
