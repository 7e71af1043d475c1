import StorehouseServer
import Testing

@Suite struct ConfigurationValueTests {
    @Test(arguments: [
        "http://localhost", "https://api.example/animal?a=b", "HTTP://[::1]:8080/", "http://10.0.0.1:1/x#y",
    ])
    func aUrlWithAHostIsTaken(url: String) throws {
        let configuration = try Configuration(environment: ["STOREHOUSE_UPSTREAMS_ANIMAL_URL": url])
        #expect(configuration.upstreams.animal.endpoint.url == url)
    }

    @Test(arguments: [
        "localhost:8080", "http:/a", "http://", "http:///x", "http://:80", "http://a:0", "http://a:65536", "http://a:",
        "http://a:b", "file:///etc/passwd", "ftp://a", "http://a b", "http://a\\b", "http://[::1", "http://[]",
        "http://a\u{E9}", "http://a\r\nb", "gopher://a", "http://a:+1", "://a",
    ])
    func anythingElseIsNot(url: String) {
        #expect(Configuration.complaints(environment: ["STOREHOUSE_UPSTREAMS_AUTH_URL": url]).count == 1)
    }

    @Test func anEmptyVariableMeansNoValueWhereThereCanBeNone() throws {
        let environment = ["STOREHOUSE_UPSTREAMS_ANIMAL_URL": "", "STOREHOUSE_ADMIN_TOKEN": ""]
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
    func aListIsWrittenWithCommas(text: String, origins: [String]) throws {
        let configuration = try Configuration(environment: ["STOREHOUSE_HTTP_ALLOWED_ORIGINS": text])
        #expect(configuration.http.allowedOrigins == origins)
    }

    @Test(arguments: ["https://A.example", "https://u@a.example", "https://a.example/x", "a.example", "null", ","])
    func anOriginIsWhatABrowserSends(text: String) {
        #expect(Configuration.complaints(environment: ["STOREHOUSE_HTTP_ALLOWED_ORIGINS": text]).count == 1)
    }

    @Test func headersKeepWhatFollowsTheFirstColon() throws {
        let text = "Authorization: Bearer a:b , X-Empty:"
        let headers = try Configuration(environment: ["STOREHOUSE_UPSTREAMS_AUTH_HEADERS": text])
            .upstreams.auth.endpoint.headers
        #expect(headers.mapValues(\.text) == ["Authorization": "Bearer a:b", "X-Empty": ""])
    }
}
