import Platform
import StorehouseServer
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct ConfigurationLoadingTests {
    private let port = ConfigurationFlag(name: "--port", path: "http.port", text: "3")
    private let file = Array(#"{"http":{"port":1,"threads":1,"host":"::1"}}"#.utf8)

    @Test func withoutSourcesEveryValueIsTheDefault() throws {
        #expect(try Configuration() == Configuration(file: nil, environment: ["PATH": "/bin"]))
    }

    @Test func theLaterSourceWins() throws {
        let environment = ["STOREHOUSE_HTTP_PORT": "2", "STOREHOUSE_HTTP_THREADS": "2"]
        let http = try Configuration(file: file, environment: environment, flags: [port]).http
        #expect(http.port == 3)
        #expect(http.threads == 2)
        #expect(http.host == "::1")
    }

    @Test func theVariablesOfTheProcessAreItsEnvironment() {
        #expect(environmentVariables() == ProcessInfo.processInfo.environment)
    }

    @Test func thePrintedDocumentCanBeReadAgain() throws {
        var configuration = Configuration()
        configuration.http.idleTimeout = .microseconds(1_250_001)
        configuration.http.allowedOrigins = ["*", "https://a.example"]
        configuration.upstreams.embedded = false
        configuration.storage.kind = .sqlite
        #expect(try Configuration(file: Array(configuration.settingsDocument.utf8)) == configuration)
    }

    @Test func aFileIsRead() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "storehouse-\(UUID()).json").path()
        try Data(file).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try Configuration.load(file: path, environment: [:], flags: [port]).http.port == 3)
        #expect(try Configuration.load(file: path, environment: [:]).http.port == 1)
    }

    @Test(arguments: [
        ("/nowhere/storehouse.json", "there is no such file"),
        ("/", "Is a directory"),
        ("/dev/zero", "it has more than 1048576 bytes"),
    ])
    func aFileThatCannotBeReadIsAnError(path: String, reason: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.load(file: path, environment: [:])
        }
        #expect(error?.description == "\(path): cannot be read: \(reason)")
    }
}
