import Foundation
import Observability
import ServerWiring
import StoreHosting
import StoreKinds
import StorehouseServer
import Testing

/// Secrets as platforms give them: in files, with a line end, as credentials.
@Suite final class SecretFileTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "secrets-" + UUID().uuidString)
    private let secret = "0123456789abcdef0123456789abcdef"
    private let key = String(repeating: "ab", count: 32)

    init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func file(_ contents: String, _ name: String = "secret", mode: Int = 0o600) throws -> String {
        let url = directory.appending(path: name)
        try Data(contents.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        return url.path
    }

    @Test(arguments: ["", "\n", "\r\n"])
    func everySecretCanComeFromAFileAndFromAVariableWithALineEnd(_ end: String) throws {
        let url = "redis://:\(secret)@redis.example:6379/0"
        let secrets = [
            ("ACCESS_SECRET", secret), ("CLUSTER_SECRET", secret), ("ADMIN_TOKEN", secret), ("STORAGE_KEY", key),
            ("STORAGE_REDIS_URL", url),
        ]
        var (files, variables): ([String: String], [String: String]) = ([:], [:])
        for (name, text) in secrets {
            files["STOREHOUSE_\(name)_FILE"] = try file(text + end, name)
            variables["STOREHOUSE_\(name)"] = text + end
        }
        let expected = try Configuration(
            environment: Dictionary(
                uniqueKeysWithValues: secrets.map {
                    ("STOREHOUSE_" + $0.0, $0.1)
                }))
        #expect(expected.access.secret?.text == secret && expected.storage.redis.url == url)
        #expect(try Configuration(environment: files) == expected)
        #expect(try Configuration(environment: variables) == expected)
    }

    @Test func everyKeyThatHoldsASecretHasTheVariableOfAFile() throws {
        let paths = Configuration.keys.filter(\.mayHoldSecret).map(\.path)
        #expect(
            paths == [
                "access.secret", "access.jwksURL", "storage.key", "storage.redis.url", "cluster.secret", "admin.token",
            ])
        #expect(
            Configuration.errors(environment: ["STOREHOUSE_HTTP_PORT_FILE": try file("80")]).first?
                .contains("is not a known key") == true)
    }

    @Test func aSecretOfARemoteServiceCanComeFromAFile() throws {
        let services = try StorehouseConfiguration(services: StoreKind.all.flatMap(\.services))
        let environment = [
            "STOREHOUSE_UPSTREAMS_ANIMAL_HEADERS_FILE": try file("Authorization: Bearer \(secret)\n"),
            "STOREHOUSE_UPSTREAMS_ANIMAL_CLIENT_KEY_PASSWORD_FILE": try file(secret, "password"),
            // The path of a file is no secret.
            "STOREHOUSE_UPSTREAMS_ANIMAL_CA_FILE": "/etc/ca.pem",
        ]
        let animal = try StorehouseConfiguration(defaults: services, environment: environment)[upstream: "animal"]
        #expect(animal.headers["Authorization"]?.text == "Bearer \(secret)")
        #expect(animal.clientKeyPassword?.text == secret)
        #expect(animal.caFile == "/etc/ca.pem")
    }

    @Test(arguments: ["\n\n", " \n", "\n\r"]) func onlyOneLineEndIsRemoved(_ end: String) throws {
        let environment = ["STOREHOUSE_ADMIN_TOKEN_FILE": try file(secret + end)]
        #expect(
            Configuration.errors(environment: environment) == [
                "admin.token (STOREHOUSE_ADMIN_TOKEN_FILE): must be a text of at least 16 visible ASCII characters, or null"
            ])
    }

    @Test func aValueAndAFileTogetherAreRefused() throws {
        var environment = ["STOREHOUSE_ADMIN_TOKEN": secret, "STOREHOUSE_ADMIN_TOKEN_FILE": try file(secret)]
        #expect(
            Configuration.errors(environment: environment) == [
                "admin.token (STOREHOUSE_ADMIN_TOKEN_FILE): is given by STOREHOUSE_ADMIN_TOKEN too; set one of the two"
            ])
        // Scripts leave a variable empty to unset it.
        environment["STOREHOUSE_ADMIN_TOKEN"] = ""
        #expect(try Configuration(environment: environment).admin.token?.text == secret)
        environment["STOREHOUSE_ADMIN_TOKEN_FILE"] = ""
        #expect(try Configuration(environment: environment).admin.token == nil)
    }

    @Test func aFileThatCannotBeUsedIsRefused() throws {
        let files = [
            (directory.path, "cannot be read: Is a directory"),
            ("/nowhere/secret", "cannot be read: there is no such file"),
            (try file("", "empty"), "is empty"), (try file("\n", "blank"), "is empty"),
        ]
        for (path, detail) in files {
            #expect(
                Configuration.errors(environment: ["STOREHOUSE_ACCESS_SECRET_FILE": path]) == [
                    "access.secret (STOREHOUSE_ACCESS_SECRET_FILE): the file '\(path)' \(detail)"
                ])
        }
        let binary = directory.appending(path: "binary")
        try Data([0xff, 0xfe]).write(to: binary)
        #expect(Configuration.errors(environment: ["STOREHOUSE_ACCESS_SECRET_FILE": binary.path]).count == 1)
    }

    @Test func aFileThatAllMayReadIsAWarning() throws {
        let open = try file(secret, mode: 0o644)
        let configuration = try Configuration(environment: ["STOREHOUSE_ADMIN_TOKEN_FILE": open])
        #expect(configuration.notices.map(\.level) == [.warning])
        #expect(configuration.notices.first?.text.contains("'\(open)' with admin.token") == true)
        let closed = try file(secret, mode: 0o640)
        #expect(try Configuration(environment: ["STOREHOUSE_ADMIN_TOKEN_FILE": closed]).notices.isEmpty)
    }

    @Test(arguments: ["", "storehouse."])
    func aCredentialOfSystemdHasTheNameOfItsKey(_ prefix: String) throws {
        _ = try file(secret + "\n", prefix + "access.secret")
        _ = try file("of another service", "something")
        var environment = ["CREDENTIALS_DIRECTORY": directory.path]
        #expect(try Configuration(environment: environment).access.secret?.text == secret)
        environment["STOREHOUSE_ACCESS_SECRET"] = String(secret.reversed())
        #expect(try Configuration(environment: environment).access.secret?.text == String(secret.reversed()))
    }

    @Test func aCredentialThatCannotBeUsedIsRefused() throws {
        let path = try file("short", "access.secret")
        #expect(
            Configuration.errors(environment: ["CREDENTIALS_DIRECTORY": directory.path]) == [
                "access.secret (\(path)): must be a text of at least 32 visible ASCII characters, or null"
            ])
    }

    @Test func aSecretInAFlagIsAWarningThatDoesNotShowIt() throws {
        let flags = [
            ("access.secret", secret), ("storage.key", key), ("storage.redis.url", "redis://:\(secret)@host"),
        ].map { ConfigurationFlag(name: "--set", path: $0.0, text: $0.1) }
        let configuration = try Configuration(flags: flags)
        #expect(configuration.notices.map(\.level) == [.warning, .warning, .warning])
        for (notice, name) in zip(configuration.notices, ["ACCESS_SECRET", "STORAGE_KEY", "STORAGE_REDIS_URL"]) {
            #expect(notice.text.contains("list of processes"))
            #expect(notice.text.contains("STOREHOUSE_\(name)_FILE"))
            #expect(!notice.text.contains(secret) && !notice.text.contains(key))
        }
        let harmless = [
            ("http.port", "80"), ("storage.redis.url", "redis://host:6379/0"), ("admin.token", ""),
        ].map { ConfigurationFlag(name: "--set", path: $0.0, text: $0.1) }
        #expect(try Configuration(flags: harmless).notices.isEmpty)
    }
}
