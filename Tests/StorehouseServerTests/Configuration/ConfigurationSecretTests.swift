import JSON
import StorehouseServer
import Testing

/// No output and no error contains a secret.
@Suite struct ConfigurationSecretTests {
    private let secret = "s3cr3t-s3cr3t-s3cr3t"

    @Test func thePrintedDocumentMasksSecrets() throws {
        let configuration = try Configuration(environment: ["STOREHOUSE_ADMIN_TOKEN": secret])
        #expect(configuration.admin.token?.text == secret)
        #expect(configuration.json["admin"] == ["token": "***"])
        #expect(!configuration.document.contains(secret))
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
    ])
    func anErrorDoesNotShowASecret(variable: String, text: String, line: String) {
        #expect(Configuration.errors(environment: [variable: text]) == [line])
    }
}
