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
}
