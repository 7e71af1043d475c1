import StorehouseServer
import Testing

@Suite struct ConfigurationValueTests {
    @Test func anEmptyVariableUnsetsAnOptionalValue() throws {
        let environment = ["STOREHOUSE_STORAGE_KEY": "", "STOREHOUSE_ADMIN_TOKEN": ""]
        #expect(try Configuration(environment: environment) == Configuration())
    }

    @Test(arguments: [
        ("0.001", Duration.milliseconds(1)), ("0.1", .milliseconds(100)), ("2.5", .milliseconds(2500)),
        ("60", .seconds(60)), ("60.0", .seconds(60)), ("1e2", .seconds(100)), ("0.0015", .microseconds(1500)),
    ])
    func aDurationIsExact(text: String, duration: Duration) throws {
        #expect(try Configuration(environment: ["STOREHOUSE_HTTP_IDLE_TIMEOUT": text]).http.idleTimeout == duration)
    }

    @Test(arguments: [
        ("", []), ("*", ["*"]), ("https://a.example , http://b:81", ["https://a.example", "http://b:81"]),
    ])
    func aListIsSeparatedByCommas(text: String, origins: [String]) throws {
        let configuration = try Configuration(environment: ["STOREHOUSE_HTTP_ALLOWED_ORIGINS": text])
        #expect(configuration.http.allowedOrigins == origins)
    }

    @Test(arguments: ["https://A.example", "https://u@a.example", "https://a.example/x", "a.example", "null", ","])
    func onlyAnOriginIsAccepted(text: String) {
        #expect(Configuration.errors(environment: ["STOREHOUSE_HTTP_ALLOWED_ORIGINS": text]).count == 1)
    }
}
