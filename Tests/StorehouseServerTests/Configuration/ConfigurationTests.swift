import HTTPServer
import StorehouseServer
import Testing

/// The configuration of a server of other kinds, which has no keys of remote services.
@Suite struct ConfigurationTests {
    @Test func theLibraryDeclaresNoRemoteService() {
        let paths = Configuration.keys.map(\.path).filter { $0.hasPrefix("upstreams.") }
        #expect(paths == ["upstreams.embedded", "upstreams.maxDelay"])
    }

    @Test func theProductionFileNeedsNoURLs() throws {
        let file = try ProjectFile.contents(of: "config/production.json")
        #expect(try !Configuration(file: file).upstreams.embedded)
    }

    @Test func theKeysOfAnotherProgramAreUnknown() {
        let errors = Configuration.errors(file: #"{"upstreams":{"animal":{"url":"http://a.example"}}}"#)
        #expect(errors.count == 1)
        #expect(errors.allSatisfy { $0.hasPrefix("upstreams.animal (test.json): is not a known key; ") })
    }

    /// A node has one connection to each loop of another node, and that loop has one to it, however many requests they forward.
    @Test func theSocketsOfANodeAreEnoughForItsConnections() {
        var http = Configuration.with().http
        http.threads = 2
        let most = ConnectionLimit.maxProvisional
        #expect(
            http.connectionLimit(ofSystem: 1156, hasReserve: true)
                == ConnectionLimit(600, reserve: 150, provisional: most))
        #expect(600 + 150 * 2 + most * 2 == 1156)
        #expect(
            http.connectionLimit(ofSystem: 200, hasReserve: true) == ConnectionLimit(16, reserve: 16, provisional: most)
        )
        #expect(
            http.connectionLimit(ofSystem: 20_000, hasReserve: true)
                == ConnectionLimit(20_000 - 2 * 1024 - most * 2, reserve: 1024, provisional: most))
        http.maxConnections = 50
        #expect(
            http.connectionLimit(ofSystem: 1156, hasReserve: true)
                == ConnectionLimit(50, reserve: 16, provisional: most))
    }

    /// A few sockets are left for probes and for requests that wait.
    @Test func theSocketsOfAServerAreEnoughForItsConnections() {
        var http = Configuration.with().http
        http.threads = 2
        #expect(http.connectionLimit(ofSystem: 1156, hasReserve: false) == ConnectionLimit(1084, provisional: 36))
        #expect(http.connectionLimit(ofSystem: 20_000, hasReserve: false) == ConnectionLimit(19_744, provisional: 128))
        #expect(http.connectionLimit(ofSystem: 16, hasReserve: false) == ConnectionLimit(16, provisional: 1))
        http.maxConnections = 50
        #expect(http.connectionLimit(ofSystem: 1156, hasReserve: false) == ConnectionLimit(50, provisional: 36))
    }

    /// nginx and Envoy keep connections for 60 seconds. A server that closes one first loses the request that is on its way.
    @Test func theIdleTimeoutIsLongerThanTheKeepAliveOfCommonProxies() {
        #expect(Configuration().http.idleTimeout == .seconds(75))
    }
}
