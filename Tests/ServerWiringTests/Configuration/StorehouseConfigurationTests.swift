import JSON
import ServerWiring
import StoreHosting
import StoreKinds
import StorehouseServer
import Testing

/// The keys of the remote services, together with those of the server.
@Suite struct StorehouseConfigurationTests {
    private let secret = "s3cr3t-s3cr3t-s3cr3t"
    private let reference: StorehouseConfiguration

    init() throws {
        reference = try StorehouseConfiguration(services: StoreKind.all.flatMap(\.services))
    }

    @Test func everyKeyCanBeSetByTheFile() throws {
        for key in reference.keys {
            let loaded = try StorehouseConfiguration(
                defaults: reference, file: Array(nested(key.path, sample(key)).description.utf8),
                environment: needed(by: key))
            #expect(key.value(in: loaded) == sample(key), "\(key.path)")
        }
    }

    @Test func everyKeyCanBeSetByTheEnvironment() throws {
        for key in reference.keys {
            let environment = needed(by: key).merging([key.variable: text(sample(key))]) { $1 }
            let loaded = try StorehouseConfiguration(defaults: reference, environment: environment)
            #expect(key.value(in: loaded) == sample(key), "\(key.path)")
        }
    }

    @Test func everyKeyCanBeSetByAFlag() throws {
        for key in reference.keys {
            let flag = ConfigurationFlag(name: "--set", path: key.path, text: text(sample(key)))
            let loaded = try StorehouseConfiguration(defaults: reference, environment: needed(by: key), flags: [flag])
            #expect(key.value(in: loaded) == sample(key), "\(key.path)")
        }
    }

    /// A key of an address may stand in its query.
    @Test func theSecretPartsOfURLsAreMasked() throws {
        let url = "https://api.example/v1?q=1&key=\(secret)&\(secret)#\(secret)"
        for name in ["ANIMAL", "AUTH"] {
            let configuration = try StorehouseConfiguration(
                defaults: reference, environment: ["STOREHOUSE_UPSTREAMS_\(name)_URL": url])
            let shown = configuration.json["upstreams"]?[name.lowercased()]?["url"]
            #expect(shown == "https://api.example/v1?q=***&key=***&***#***")
            #expect(!configuration.document.contains(secret))
            // It is still a valid file.
            _ = try StorehouseConfiguration(defaults: reference, file: Array(configuration.document.utf8))
        }
        for text in [
            "ftp://api.example/?key=\(secret)", "http:/a?\(secret)", "http://a b?x=\(secret)", "http://u:\(secret)@a",
        ] {
            let errors = StorehouseConfiguration.errors(reference, environment: ["STOREHOUSE_UPSTREAMS_AUTH_URL": text])
            #expect(errors.count == 1)
            #expect(errors.allSatisfy { !$0.contains(secret) })
        }
    }

    @Test func credentialsOfServicesAreMasked() throws {
        let configuration = try StorehouseConfiguration(
            defaults: reference,
            environment: [
                "STOREHOUSE_UPSTREAMS_AUTH_FIELDS": "client_secret: \(secret)",
                "STOREHOUSE_UPSTREAMS_AUTH_CLIENT_KEY_PASSWORD": secret,
            ])
        #expect(configuration[upstream: "auth"].own["fields"] == ["client_secret": .string(secret)])
        #expect(configuration.json["upstreams"]?["auth"]?["fields"] == ["client_secret": "***"])
        #expect(configuration.json["upstreams"]?["auth"]?["clientKeyPassword"] == "***")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in [dumped, configuration.document] { #expect(!text.contains(secret)) }
    }

    @Test(arguments: [
        "http://localhost", "https://api.example/animal?a=b", "HTTP://[::1]:8080/", "http://10.0.0.1:1/x#y",
    ])
    func aURLWithAHostIsAccepted(url: String) throws {
        let configuration = try StorehouseConfiguration(
            defaults: reference, environment: ["STOREHOUSE_UPSTREAMS_ANIMAL_URL": url])
        #expect(configuration[upstream: "animal"].url == url)
    }

    @Test(arguments: [
        "localhost:8080", "http:/a", "http://", "http:///x", "http://:80", "http://a:0", "http://a:65536", "http://a:",
        "http://a:b", "file:///etc/passwd", "ftp://a", "http://a b", "http://a\\b", "http://[::1", "http://[]",
        "http://a\u{E9}", "http://a\r\nb", "gopher://a", "http://a:+1", "://a",
    ])
    func anyOtherURLIsRejected(url: String) {
        #expect(
            StorehouseConfiguration.errors(reference, environment: ["STOREHOUSE_UPSTREAMS_AUTH_URL": url]).count == 1)
    }

    @Test func aHeaderValueCanContainColons() throws {
        let text = "Authorization: Bearer a:b , X-Empty:"
        let configuration = try StorehouseConfiguration(
            defaults: reference, environment: ["STOREHOUSE_UPSTREAMS_AUTH_HEADERS": text])
        let headers = configuration[upstream: "auth"].headers
        #expect(headers.mapValues(\.text) == ["Authorization": "Bearer a:b", "X-Empty": ""])
    }

    @Test(arguments: [
        (
            #"{"upstreams":{"animals":{}}}"#,
            "upstreams.animals (test.json): is not a known key; the nearest is upstreams.animal"
        ),
        (
            #"{"upstreams":{"animal":{"pointer":"animal"}}}"#,
            #"upstreams.animal.pointer (test.json): must be a JSON Pointer such as "/animal", not "animal""#
        ),
        (
            #"{"upstreams":{"auth":{"noStatuses":[200]}}}"#,
            "upstreams.auth.noStatuses (test.json): must be a list of statuses from 400 to 599, not [200]"
        ),
        (
            #"{"upstreams":{"auth":{"noStatuses":{}}}}"#,
            "upstreams.auth.noStatuses (test.json): must be a list of statuses from 400 to 599, not an object"
        ),
    ])
    func anErrorInTheFileIsOneLine(file: String, line: String) {
        #expect(StorehouseConfiguration.errors(reference, file: file) == [line])
    }

    @Test(arguments: [
        (
            "STOREHOUSE_UPSTREAMS_AUTH_NO_STATUSES", "401,,403",
            #"upstreams.auth.noStatuses (STOREHOUSE_UPSTREAMS_AUTH_NO_STATUSES): must be a list of statuses from 400 to 599, not [401,"",403]"#
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_HEADERS", "s3cr3t",
            "upstreams.auth.headers (STOREHOUSE_UPSTREAMS_AUTH_HEADERS): must be an object of header names with their values"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_HEADERS", "A: s3cr3t\u{A}B: s3cr3t",
            "upstreams.auth.headers (STOREHOUSE_UPSTREAMS_AUTH_HEADERS): has a value for A that is not one line of text"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_HEADERS", "A: s3cr3t, a: s3cr3t",
            "upstreams.auth.headers (STOREHOUSE_UPSTREAMS_AUTH_HEADERS): has a twice; names that differ only in case are the same"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_HEADERS", "A: s3cr3t, A: s3cr3t",
            "upstreams.auth.headers (STOREHOUSE_UPSTREAMS_AUTH_HEADERS): must be an object of header names with their values"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_HEADERS", "s3cr3t A: b",
            "upstreams.auth.headers (STOREHOUSE_UPSTREAMS_AUTH_HEADERS): has a name that is not a header name"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_URL", "https://u:s3cr3t@a.example",
            "upstreams.auth.url (STOREHOUSE_UPSTREAMS_AUTH_URL): must not hold a user name or a password; send them in an Authorization header (upstreams.auth.headers)"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_URL", "htp://u:s3cr3t@a.example",
            "upstreams.auth.url (STOREHOUSE_UPSTREAMS_AUTH_URL): must be an http or https URL with a host"
        ),
    ])
    func anErrorInTheEnvironmentIsOneLine(variable: String, text: String, line: String) {
        #expect(StorehouseConfiguration.errors(reference, environment: [variable: text]) == [line])
    }

    @Test func anInvalidURLIsNotReportedAsMissing() {
        let lines = StorehouseConfiguration.errors(
            reference,
            file: #"{"upstreams":{"embedded":false,"animal":{"url":"ftp://a.example"},"auth":{"url":"http://b"}}}"#)
        #expect(
            lines == [
                "upstreams.animal.url (test.json): must be an http or https URL with a host, or null, "
                    + #"not "ftp://a.example""#
            ])
    }

    /// A value that is allowed and not the default.
    private func sample(_ key: ConfigurationKey<StorehouseConfiguration>) -> JSONValue {
        switch (key.path, key.defaultValue) {
        case ("http.basePath", _): "/storehouse"
        case ("access.mode", _): "token"
        case ("http.allowedOrigins", _): ["https://a.example", "http://b.example:8080"]
        case ("http.allowedHosts", _): ["a.example", "::1"]
        case ("http.trustedProxies", _): ["10.0.0.0/8", "::1"]
        case (let path, _) where path.hasPrefix("limits."): path.hasSuffix("rate") ? 0.5 : 7
        case ("upstreams.auth.noStatuses", _): [400, 401]
        case ("upstreams.animal.pointer", _): "/name/0"
        case ("storage.kind", _): "sqlite"
        case ("storage.durability", _): "relaxed"
        case ("storage.redis.url", _): "redis://redis.example:6380/3"
        case ("storage.redis.prefix", _): "app-2.x"
        case ("storage.redis.settings", _): "trusted"
        case ("cluster.address", _): "[fd00::1]:8080"
        case ("http.http2", _): false
        case ("log.level", _): "debug"
        case ("log.format", _): "json"
        case ("log.access", _): "all"
        case ("log.actors", _): "plain"
        case ("admin.token", _): "0123456789abcdef"
        case ("access.issuer", _), ("access.audience", _): "https://id.example"
        case ("access.jwksURL", _): "https://id.example/keys"
        case ("access.secret", _), ("cluster.secret", _): .string(String(repeating: "s", count: 32))
        case ("storage.key", _): "4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8="
        // `false` requires URLs, which this configuration does not have.
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

    /// The other variables that a key is invalid without.
    private func needed(by key: ConfigurationKey<StorehouseConfiguration>) -> [String: String] {
        if key.path.hasPrefix("access.") {
            let others = [
                "STOREHOUSE_ACCESS_MODE": "token", "STOREHOUSE_ACCESS_SECRET": String(repeating: "s", count: 32),
            ]
            return others.filter { $0.key != key.variable }
        }
        let burst = "_BURST"
        guard key.variable.hasSuffix(burst) else { return [:] }
        return [key.variable.dropLast(burst.count) + "_RATE": "1"]
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
