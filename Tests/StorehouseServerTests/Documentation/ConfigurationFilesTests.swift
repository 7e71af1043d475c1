import JSON
import Observability
import ServerWiring
import StoreHosting
import StoreKinds
import StorehouseServer
import Testing

/// The configuration files and the documentation agree with the declarations of the keys.
@Suite struct ConfigurationFilesTests {
    private let reference: StorehouseConfiguration
    private let urls = [
        "STOREHOUSE_UPSTREAMS_ANIMAL_URL": "https://animals.example/animal",
        "STOREHOUSE_UPSTREAMS_AUTH_URL": "https://login.example/login",
    ]

    init() throws {
        reference = try StorehouseConfiguration(services: StoreKind.all.flatMap(\.services))
    }

    /// A server with other store kinds reads this file too, so it has no keys of remote services.
    @Test func theDefaultFileContainsEveryKeyOfTheServerAtItsDefault() throws {
        let file = try ProjectFile.contents(of: Configuration.defaultFile)
        #expect(String(decoding: file, as: UTF8.self) == Configuration().settingsDocument + "\n")
        #expect(try Configuration(file: file) == Configuration())
        #expect(try StorehouseConfiguration(defaults: reference, file: file) == reference)
    }

    @Test func theProductionFileContainsOnlyWhatDiffers() throws {
        let file = try ProjectFile.contents(of: "config/production.json")
        var expected = reference
        expected.server.http.host = "0.0.0.0"
        expected.server.upstreams.embedded = false
        expected[upstream: "animal"].url = urls["STOREHOUSE_UPSTREAMS_ANIMAL_URL"]
        expected[upstream: "auth"].url = urls["STOREHOUSE_UPSTREAMS_AUTH_URL"]
        expected.server.storage.kind = .sqlite
        expected.server.log.format = .json
        expected.server.inspector.enabled = false
        #expect(try StorehouseConfiguration(defaults: reference, file: file, environment: urls) == expected)
        #expect(try leaves(JSONValue(parsing: file)) == 5)
    }

    @Test func theProductionFileRequiresURLs() throws {
        let file = String(decoding: try ProjectFile.contents(of: "config/production.json"), as: UTF8.self)
        #expect(
            StorehouseConfiguration.errors(reference, file: file) == [
                "upstreams.animal.url: is missing, and upstreams.embedded is false: set it "
                    + "(STOREHOUSE_UPSTREAMS_ANIMAL_URL), or upstreams.embedded to true",
                "upstreams.auth.url: is missing, and upstreams.embedded is false: set it "
                    + "(STOREHOUSE_UPSTREAMS_AUTH_URL), or upstreams.embedded to true",
            ])
    }

    /// A server of one's own starts from a copy of it.
    @Test func theProductionFileRequiresNothingOfAServerWithoutServices() throws {
        let file = try ProjectFile.contents(of: "config/production.json")
        let configuration = try StorehouseConfiguration(file: file)
        #expect(configuration.server.storage.kind == .sqlite)
    }

    @Test func theTableOfKeysHasARowForEachKey() throws {
        let rows = reference.markdownTable.split(separator: "\n").dropFirst(2)
        #expect(rows.count == reference.keys.count)
        for (row, key) in zip(rows, reference.keys) {
            #expect(row.hasPrefix("| `\(key.path)` | \(key.defaultText) | "))
            #expect(row.hasSuffix(" |"))
        }
        #expect(
            rows.contains(
                "| `http.port` | `8080` | a whole number from 0 to 65535 | the port to listen on; 0 takes a free one |")
        )
    }

    @Test func everyKeyHasItsOwnPathAndVariable() {
        let keys = reference.keys
        #expect(Set(keys.map(\.path)).count == keys.count)
        #expect(Set(keys.map(\.variable)).count == keys.count)
    }

    @Test(arguments: [
        ("http.maxBodyBytes", "STOREHOUSE_HTTP_MAX_BODY_BYTES"), ("access.jwksURL", "STOREHOUSE_ACCESS_JWKS_URL"),
        ("upstreams.animal.url", "STOREHOUSE_UPSTREAMS_ANIMAL_URL"),
        ("upstreams.auth.breaker.failures", "STOREHOUSE_UPSTREAMS_AUTH_BREAKER_FAILURES"),
        ("admin.token", "STOREHOUSE_ADMIN_TOKEN"),
    ])
    func aVariableIsNamedAfterItsPath(path: String, variable: String) {
        #expect(reference.keys.first { $0.path == path }?.variable == variable)
    }

    private func leaves(_ value: JSONValue) -> Int {
        guard let members = value.asObject else { return 1 }
        return members.reduce(0) { $0 + leaves($1.value) }
    }
}
