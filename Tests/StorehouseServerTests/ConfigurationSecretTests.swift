import JSON
import StorehouseServer
import Testing

/// A secret stands neither in what is printed nor in what is said about it.
@Suite struct ConfigurationSecretTests {
    private let secret = "s3cr3t-s3cr3t-s3cr3t"

    @Test func whatIsPrintedMasksSecrets() throws {
        let configuration = try Configuration(environment: [
            "STOREHOUSE_ADMIN_TOKEN": secret, "STOREHOUSE_UPSTREAMS_ANIMAL_HEADERS": "X-Key: \(secret)",
        ])
        #expect(configuration.admin.token?.text == secret)
        #expect(configuration.json["admin"] == ["token": "***"])
        #expect(configuration.json["upstreams"]?["animal"]?["headers"] == ["X-Key": "***"])
        #expect(!configuration.document.contains(secret))
    }

    @Test func whatSaysWhoCallsIsMasked() throws {
        let configuration = try Configuration(environment: [
            "STOREHOUSE_UPSTREAMS_AUTH_FIELDS": "client_secret: \(secret)",
            "STOREHOUSE_UPSTREAMS_AUTH_CLIENT_KEY_PASSWORD": secret,
        ])
        #expect(configuration.upstreams.auth.fields["client_secret"]?.text == secret)
        #expect(configuration.json["upstreams"]?["auth"]?["fields"] == ["client_secret": "***"])
        #expect(configuration.json["upstreams"]?["auth"]?["clientKeyPassword"] == "***")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in [dumped, configuration.document] { #expect(!text.contains(secret)) }
    }

    @Test func aDumpMasksSecrets() throws {
        let configuration = try Configuration(environment: ["STOREHOUSE_ADMIN_TOKEN": secret])
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in [dumped, "\(configuration)", String(reflecting: configuration)] {
            #expect(!text.contains(secret))
        }
    }

    @Test(arguments: [
        (
            "STOREHOUSE_ADMIN_TOKEN", "s3cr3t",
            "admin.token (STOREHOUSE_ADMIN_TOKEN): must be a text of at least 16 visible ASCII characters, or null"
        ),
        (
            "STOREHOUSE_ADMIN_TOKEN", "s3cr3t s3cr3t s3cr3t",
            "admin.token (STOREHOUSE_ADMIN_TOKEN): must be a text of at least 16 visible ASCII characters, or null"
        ),
        (
            "STOREHOUSE_STORAGE_KEY", "s3cr3t",
            "storage.key (STOREHOUSE_STORAGE_KEY): must be 32 bytes in base64 or hexadecimal, as `openssl rand -base64 32` makes them, or null"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_HEADERS", "s3cr3t",
            "upstreams.auth.headers (STOREHOUSE_UPSTREAMS_AUTH_HEADERS): must be an object of header names with their values"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_HEADERS", "A: s3cr3t\u{A}B: s3cr3t",
            "upstreams.auth.headers (STOREHOUSE_UPSTREAMS_AUTH_HEADERS): has a value for A that is not a text of one line"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_HEADERS", "A: s3cr3t, a: s3cr3t",
            "upstreams.auth.headers (STOREHOUSE_UPSTREAMS_AUTH_HEADERS): has a twice; case makes no difference"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_HEADERS", "A: s3cr3t, A: s3cr3t",
            "upstreams.auth.headers (STOREHOUSE_UPSTREAMS_AUTH_HEADERS): must be an object of header names with their values"
        ),
        (
            "STOREHOUSE_UPSTREAMS_AUTH_HEADERS", "s3cr3t A: b",
            "upstreams.auth.headers (STOREHOUSE_UPSTREAMS_AUTH_HEADERS): has a name that is no header name"
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
    func anErrorDoesNotTellASecret(variable: String, text: String, line: String) {
        #expect(Configuration.complaints(environment: [variable: text]) == [line])
    }
}
