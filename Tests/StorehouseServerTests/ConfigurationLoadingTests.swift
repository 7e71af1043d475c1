import JSON
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

    @Test func withoutAnythingItIsTheDefault() throws {
        #expect(try Configuration() == Configuration(file: nil, environment: ["PATH": "/bin"]))
    }

    @Test func theLaterSourceWins() throws {
        let environment = ["STOREHOUSE_HTTP_PORT": "2", "STOREHOUSE_HTTP_THREADS": "2"]
        let http = try Configuration(file: file, environment: environment, flags: [port]).http
        #expect(http.port == 3)
        #expect(http.threads == 2)
        #expect(http.host == "::1")
    }

    @Test func everyKeyCanBeSetByTheFile() throws {
        for key in ConfigurationKey.all {
            let loaded = try Configuration(file: Array(nested(key.path, sample(key)).description.utf8))
            #expect(key.value(in: loaded) == sample(key), "\(key.path)")
        }
    }

    @Test func everyKeyCanBeSetByTheEnvironment() throws {
        for key in ConfigurationKey.all {
            let loaded = try Configuration(environment: [key.variable: text(sample(key))])
            #expect(key.value(in: loaded) == sample(key), "\(key.path)")
        }
    }

    @Test func whatIsPrintedCanBeReadAgain() throws {
        var configuration = Configuration()
        configuration.http.idleTimeout = .microseconds(1_250_001)
        configuration.http.allowedOrigins = ["*", "https://a.example"]
        configuration.upstreams.auth.noStatuses = []
        configuration.storage.kind = .sqlite
        #expect(try Configuration(file: Array(configuration.document.utf8)) == configuration)
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

    /// A value that is allowed and not the default.
    private func sample(_ key: ConfigurationKey) -> JSONValue {
        switch (key.path, key.defaultValue) {
        case ("http.allowedOrigins", _): ["https://a.example", "http://b.example:8080"]
        case ("upstreams.auth.noStatuses", _): [400, 401]
        case ("upstreams.animal.pointer", _): "/name/0"
        case ("storage.kind", _): "sqlite"
        case ("storage.durability", _): "relaxed"
        case ("log.level", _): "debug"
        case ("log.format", _): "json"
        case ("admin.token", _): "0123456789abcdef"
        case ("storage.key", _): "4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8="
        // Switched off, the embedded server would be missed.
        case ("upstreams.embedded", _): true
        case ("upstreams.auth.body", _): "form"
        case ("upstreams.auth.fields", _): ["grant_type": "password", "client_secret": "a:b"]
        case ("upstreams.auth.pointer", _): "/access_token"
        case (let path, .null) where path.hasSuffix("maxWaiting"): 7
        case (let path, .null) where path.contains(".client") || path.hasSuffix(".caFile"): "/etc/some.pem"
        case (let path, _) where path.hasSuffix(".url"): "https://api.example/v1?q=1"
        case (let path, _) where path.hasSuffix(".headers"): ["Accept": "text/plain", "Authorization": "Bearer a:b"]
        case (_, .bool(let value)): .bool(!value)
        case (_, .integer(let value)): .integer(value + 1)
        case (_, .number): 0.25
        case (_, .string(let value)): .string(value + "x")
        case (_, let other): other
        }
    }

    private func nested(_ path: String, _ value: JSONValue) -> JSONValue {
        path.split(separator: ".").reversed().reduce(value) { inner, name in
            .object(JSONObject([(String(name), inner)]))
        }
    }

    /// The value as an environment variable has it.
    private func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .array(let elements): elements.map(text).joined(separator: ", ")
        case .object(let members): members.map { "\($0.name): \(text($0.value))" }.joined(separator: ",")
        default: value.description
        }
    }
}
