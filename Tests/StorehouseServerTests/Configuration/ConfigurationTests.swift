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
        #expect(
            Configuration.errors(file: #"{"upstreams":{"animal":{"url":"http://a.example"}}}"#)
                == ["upstreams.animal (test.json): is not a known key; the nearest is upstreams"])
    }
}
