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

    @Test(arguments: [
        ("", []), ("*", ["*"]), ("example.org,::1 , [::1],127.0.0.1", ["example.org", "::1", "[::1]", "127.0.0.1"]),
    ])
    func hostsHaveNoPort(text: String, hosts: [String]) throws {
        let variable = "STOREHOUSE_HTTP_ALLOWED_HOSTS"
        #expect(try Configuration(environment: [variable: text]).http.allowedHosts == hosts)
        for wrong in ["example.org:80", "http://example.org", "[::1]:80", "a b", "a/b", ",", "*.example.org", "[::1"] {
            #expect(Configuration.errors(environment: [variable: wrong]).count == 1, "\(wrong)")
        }
    }

    @Test func proxiesAreAddressesAndNetworks() throws {
        let variable = "STOREHOUSE_HTTP_TRUSTED_PROXIES"
        let proxies = try Configuration(environment: [variable: "10.0.0.0/8,::1, 192.0.2.1,unix"]).http.trustedProxies
        #expect(proxies == ["10.0.0.0/8", "::1", "192.0.2.1", "unix"])
        for wrong in ["proxy.example", "unix:/run/socket", "10.0.0.0/33", "10.0.0.1:80", "[::1]", "10.0.0.0/8/8", "*"] {
            #expect(
                Configuration.errors(environment: [variable: wrong]) == [
                    "http.trustedProxies (\(variable)): must be a list of IP addresses and networks such as \"10.0.0.0/8\", "
                        + "or of \"unix\", not [\"\(wrong)\"]"
                ])
        }
    }

    @Test func moreAddressesToListenOn() throws {
        let variable = "STOREHOUSE_HTTP_LISTEN"
        let path = "unix:/" + String(repeating: "a", count: 106)
        let listen = try Configuration(environment: [variable: "\(path),10.0.0.1:80, [::1]:8081,host:1"]).http.listen
        #expect(listen == [path, "10.0.0.1:80", "[::1]:8081", "host:1"])
        let wrong = [
            "unix:", "unix:run/socket", path + "a", "/run/socket", "unix:@abstract", "8080", "10.0.0.1", "host:0",
            "host:65536",
            "a b:1", "http://host:1", ",",
        ]
        for text in wrong {
            let errors = Configuration.errors(environment: [variable: text])
            #expect(
                errors.count == 1 && errors[0].hasPrefix("http.listen (\(variable)): must be a list of \"unix:\""),
                "\(text)")
        }
    }
}
