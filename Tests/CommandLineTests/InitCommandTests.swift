import CommandLine
import Foundation
import JSON
import ProcessTesting
import ServerWiring
import StorehouseServer
import Testing

@Suite struct InitCommandTests {
    /// This project.
    private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    @Test(arguments: ["", "1st", "-a", "a b", "a/b", "..", "ä", "a\n", "my_hall", String(repeating: "a", count: 65)])
    func aBadNameIsRefused(name: String) {
        let error = #expect(throws: UsageError.self) { try InitCommand(name: name) }
        #expect(
            error?.description.hasSuffix(
                "cannot be the name of a package and its store: a letter, then letters, digits and -, 64 at most")
                == true)
    }

    @Test(arguments: ["stores", "Storehouse", "JSON", "swift", "testing"])
    func theNameOfAModuleIsRefused(name: String) {
        #expect(throws: UsageError.self) { try InitCommand(name: name) }
    }

    @Test func thePackageIsWhole() throws {
        let folder = try TemporaryFolder()
        let command = try InitCommand(name: "my-hall", from: Self.checkout)
        let files = try command.create(in: folder.path + "/")
        #expect(
            files.map { $0.dropFirst("my-hall/".count) } == [
                "Package.swift", "Sources/my-hall/MyHall.swift", "Sources/my-hall/MyHallApp.swift",
                "Tests/my-hallTests/MyHallTests.swift", "config/storehouse.json", "Dockerfile", ".dockerignore",
                ".gitignore", "README.md",
            ])
        let manifest = try folder.text(of: "my-hall/Package.swift")
        #expect(manifest.contains(".package(name: \"storehouse\", path: \"\(Self.checkout)\")"))
        #expect(try folder.text(of: files[1]).contains("StoreDefinition(\"my-hall\", "))
        let test = try folder.text(of: "my-hall/Tests/my-hallTests/MyHallTests.swift")
        #expect(test.contains("import my_hall\n") && test.contains("myHall.kind.problems.isEmpty"))
        let image = try folder.text(of: "my-hall/Dockerfile")
        #expect(image.contains("docker build --build-context storehouse=\(Self.checkout) -t my-hall ."))
        #expect(image.contains("ARG BUILD_IMAGE=") && image.contains("FROM ${BUILD_IMAGE} AS build"))
        #expect(image.contains("ARG RUN_IMAGE=") && image.contains("FROM ${RUN_IMAGE}\n"))
        #expect(image.contains("COPY --from=storehouse [\".\", \"\(Self.checkout)\"]"))
        _ = try StorehouseConfiguration(file: Array(try folder.text(of: "my-hall/config/storehouse.json").utf8))
        for file in files { #expect(try folder.text(of: file).hasSuffix("\n")) }
    }

    @Test func theProgramUnderstandsTheCommandsOfTheReadme() throws {
        let folder = try TemporaryFolder()
        _ = try InitCommand(name: "my-hall", from: Self.checkout).create(in: folder.path + "/")
        let commands = try folder.text(of: "my-hall/README.md").split(separator: "\n")
            .filter { $0.hasPrefix("    swift run my-hall ") }
            .map { line in line.prefix { $0 != "#" }.split(separator: " ").dropFirst(3).map(String.init) }
        #expect(commands.map(\.first) == ["serve", "send", "--help"])
        for words in commands {
            #expect(throws: Never.self, "\(words)") { try Invocation.parse(words) }
        }
    }

    @Test func anotherCheckoutIsNamedByARelativePath() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/store house", withIntermediateDirectories: true)
        _ = try folder.write("", to: "store house/Package.swift")
        let directory = FileManager.default.currentDirectoryPath
        let command = try InitCommand(name: "hall", from: Self.relative(folder.path + "/store house", to: directory))
        _ = try command.create(in: folder.path + "/")
        #expect(try folder.text(of: "hall/Package.swift").contains("path: \"../store house\")"))
        #expect(try folder.text(of: "hall/Dockerfile").contains("COPY --from=storehouse [\".\", \"../store house\"]"))
        #expect(try folder.text(of: "hall/README.md").contains("the checkout of Storehouse in `../store house`"))
    }

    @Test func noFileHasAnAbsolutePathUnlessItWasGiven() throws {
        let folder = try TemporaryFolder()
        let files = try InitCommand(name: "hall").create(in: folder.path + "/")
        let start = ["\"", "`", "=", " "].map { $0 + Self.checkout }
        for file in files {
            let text = try folder.text(of: file)
            #expect(!start.contains { text.contains($0) }, "\(file)")
            #expect(!text.contains(folder.path), "\(file)")
        }
        #expect(try folder.text(of: "hall/Package.swift").contains("path: \"../"))
    }

    /// A way from one folder to another by the root.
    private static func relative(_ path: String, to folder: String) -> String {
        folder.split(separator: "/").map { _ in "../" }.joined() + path.dropFirst()
    }

    @Test func aVersionInARepositoryNeedsNoCheckout() throws {
        let folder = try TemporaryFolder()
        let command = try InitCommand(name: "hall", from: "https://example.com/Store.git", version: "1.4.0")
        let files = try command.create(in: folder.path + "/")
        let manifest = try folder.text(of: "hall/Package.swift")
        #expect(manifest.contains(".package(url: \"https://example.com/Store.git\", from: \"1.4.0\")"))
        #expect(manifest.contains(".product(name: \"Storehouse\", package: \"store\")"))
        #expect(try !folder.text(of: "hall/Dockerfile").contains("storehouse="))
        #expect(try folder.text(of: "hall/README.md").contains("Storehouse 1.4.0 from `https://example.com/Store.git`"))
        for file in files { #expect(try !folder.text(of: file).contains("/of/storehouse")) }
    }

    @Test(
        arguments: zip(
            ["https://example.com/a", ".", nil, "https://example.com/a"], [nil, "1.0.0", "1.0.0", "main"]))
    func aPlaceAndAVersionMustFit(from: String?, version: String?) {
        #expect(throws: UsageError.self) { try InitCommand(name: "hall", from: from, version: version) }
    }

    @Test(.enabled(if: Tool("swiftc") != nil)) func theSourcesCanBeParsed() async throws {
        let folder = try TemporaryFolder()
        let files = try InitCommand(name: "hall", from: Self.checkout).create(in: folder.path + "/")
        let sources = files.filter { $0.hasSuffix(".swift") }.map { folder.path + "/" + $0 }
        let result = try await #require(Tool("swiftc")).run(["-parse", "-swift-version", "6"] + sources)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func aFolderThatIsNotEmptyStaysAsItIs() throws {
        let folder = try TemporaryFolder()
        let command = try InitCommand(name: "hall", from: Self.checkout)
        try FileManager.default.createDirectory(atPath: folder.path + "/hall", withIntermediateDirectories: true)
        _ = try command.create(in: folder.path + "/")
        let before = try folder.text(of: "hall/README.md")
        let error = #expect(throws: CommandFailure.self) { try command.create(in: folder.path + "/") }
        #expect(
            error?.description == "\(folder.path)/hall exists and is not empty; choose another name, or move it away")
        #expect(try folder.text(of: "hall/README.md") == before)
    }

    @Test func aFileIsNotReplaced() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("mine", to: "hall")
        #expect(throws: CommandFailure.self) {
            try InitCommand(name: "hall", from: Self.checkout).create(in: folder.path + "/")
        }
        #expect(try folder.text(of: "hall") == "mine")
    }

    @Test func aWrongCheckoutIsRefused() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: CommandFailure.self) {
            try InitCommand(name: "hall", from: folder.path).create(in: folder.path + "/")
        }
        #expect(error?.description == "\(folder.path) is not a checkout of Storehouse: it has no Package.swift")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/hall"))
    }
}
