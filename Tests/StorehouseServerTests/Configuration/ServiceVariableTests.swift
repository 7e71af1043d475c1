import StorehouseServer
import Testing

/// Variables that Kubernetes sets for Services whose names begin as those of settings do.
@Suite struct ServiceVariableTests {
    private static let ofServices = [
        "STOREHOUSE_SERVICE_HOST": "10.0.171.239", "STOREHOUSE_SERVICE_PORT": "80",
        "STOREHOUSE_SERVICE_PORT_HTTP": "80", "STOREHOUSE_PORT": "tcp://10.0.171.239:80",
        "STOREHOUSE_PORT_80_TCP": "tcp://10.0.171.239:80", "STOREHOUSE_PORT_80_TCP_PROTO": "tcp",
        "STOREHOUSE_PORT_80_TCP_PORT": "80", "STOREHOUSE_PORT_80_TCP_ADDR": "10.0.171.239",
        "STOREHOUSE_DNS_PORT_53_UDP": "udp://10.0.0.9:53", "STOREHOUSE_DNS_PORT_53_UDP_PROTO": "udp",
        "STOREHOUSE_REDIS_SERVICE_HOST": "fd00::1", "STOREHOUSE_REDIS_PORT": "tcp://[fd00::1]:6379",
        "STOREHOUSE_REDIS_PORT_6379_TCP_ADDR": "fd00::1", "STOREHOUSE_A_B_9_SERVICE_PORT_METRICS_2": "9100",
        // These have the names of keys.
        "STOREHOUSE_HTTP_PORT": "tcp://10.0.171.240:80", "STOREHOUSE_METRICS_PORT": "tcp://10.0.171.241:9100",
    ]

    @Test func areIgnoredAndNamedInOneNotice() throws {
        let configuration = try Configuration(environment: Self.ofServices)
        #expect(configuration.http == Configuration().http)
        #expect(configuration.metrics == Configuration().metrics)
        #expect(configuration.notices.count == 1)
        let text = try #require(configuration.notices.first?.text)
        #expect(text.hasPrefix("variables that Kubernetes sets for Services are ignored: STOREHOUSE_A_B_9_SERVICE_"))
        #expect(text.contains(" and 8 more; enableServiceLinks: false"))
    }

    @Test(arguments: Self.ofServices.keys.sorted())
    func areIgnoredOneByOne(_ name: String) throws {
        let configuration = try Configuration(environment: [name: try #require(Self.ofServices[name])])
        #expect(configuration.notices.map(\.text).allSatisfy { $0.contains(name) })
        #expect(configuration.notices.count == 1)
    }

    /// A name or a value that Kubernetes does not make is a typing error.
    @Test(arguments: [
        ("STOREHOUSE_STORAGE_KIMD", "sqlite"), ("STOREHOUSE_PORT", "8080"), ("STOREHOUSE_SERVICE_HOST", "80"),
        ("STOREHOUSE_SERVICE_PORT", "http"), ("STOREHOUSE_SERVICE_PORT", "0"), ("STOREHOUSE_SERVICE_PORT", "65536"),
        ("STOREHOUSE_HTTP_PROT", "tcp://10.0.0.1:80"), ("STOREHOUSE_PORT_80_TCP", "udp://10.0.0.1:80"),
        ("STOREHOUSE_PORT_80_TCP_PROTO", "udp"), ("STOREHOUSE_PORT_80_TCP_PORT", "81"),
        ("STOREHOUSE_PORT_80_TPC_ADDR", "10.0.0.1"), ("STOREHOUSE_HTTP_PORT", "tcp://10.0.0.1"),
        ("STOREHOUSE_HTTP_PORT", "http://10.0.0.1:80"), ("STOREHOUSE_HTTP_PORT", ""),
        ("STOREHOUSE_SERVICE_HOST", "10.0.0.0/8"), ("STOREHOUSE_SERVICE_HOTS", "10.0.0.1"),
    ])
    func othersAreRefused(_ name: String, _ value: String) {
        #expect(Configuration.errors(environment: [name: value]).count == 1)
    }

    @Test func theValueOfAKeyIsNotTakenForOne() throws {
        let configuration = try Configuration(environment: ["STOREHOUSE_HTTP_PORT": "80"])
        #expect(configuration.http.port == 80)
        #expect(configuration.notices.isEmpty)
    }

    @Test func theStartLogsTheNotice() async throws {
        var configuration = Configuration.with()
        configuration.notices = try Configuration(environment: Self.ofServices).notices
        try await LiveServer.run(configuration: configuration) { server in
            #expect(server.log.text.contains("variables that Kubernetes sets for Services are ignored: STOREHOUSE_"))
        }
    }
}
