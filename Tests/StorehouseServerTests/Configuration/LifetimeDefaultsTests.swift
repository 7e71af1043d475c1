import JSON
import StorehouseServer
import Testing

/// The timeouts of sessions, whose defaults depend on the storage.
@Suite struct LifetimeDefaultsTests {
    @Test(arguments: [
        ("memory", 86_400, 600), ("sqlite", 0, 86_400), ("redis", 0, 86_400),
    ])
    func theDocumentShowsTheDefaultsThatCount(_ kind: String, _ idle: Int, _ unused: Int) throws {
        let configuration = try Configuration(environment: ["STOREHOUSE_STORAGE_KIND": kind])
        let sessions = try JSONValue(parsing: Array(configuration.document.utf8))["sessions"]
        #expect(sessions?["idleTimeout"] == .integer(idle))
        #expect(sessions?["unusedTimeout"] == .integer(unused))
    }

    @Test func aValueCountsWhateverTheStorageIs() throws {
        let environment = [
            "STOREHOUSE_SESSIONS_IDLE_TIMEOUT": "0", "STOREHOUSE_SESSIONS_UNUSED_TIMEOUT": "7",
        ]
        for kind in ["memory", "sqlite"] {
            let configuration = try Configuration(
                environment: environment.merging(["STOREHOUSE_STORAGE_KIND": kind]) { $1 })
            let sessions = try JSONValue(parsing: Array(configuration.document.utf8))["sessions"]
            #expect(sessions?["idleTimeout"] == 0)
            #expect(sessions?["unusedTimeout"] == 7)
        }
    }

    /// Otherwise a copy of the file in the sources would end sessions that are stored for ever by default.
    @Test func theDefaultFileLeavesThemToTheStorage() throws {
        let file = try ProjectFile.contents(of: Configuration.defaultFile)
        let configuration = try Configuration(file: file, environment: ["STOREHOUSE_STORAGE_KIND": "sqlite"])
        #expect(configuration.sessions.idleTimeout == nil)
        #expect(configuration.sessions.unusedTimeout == nil)
    }

    @Test func aNegativeTimeIsRefused() {
        #expect(Configuration.errors(environment: ["STOREHOUSE_SESSIONS_IDLE_TIMEOUT": "-1"]).count == 1)
    }
}
