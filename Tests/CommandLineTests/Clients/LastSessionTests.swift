import CommandLine
import Foundation
import ProcessTesting
import Testing

@Suite struct LastSessionTests {
    @Test func itIsKeptForItsUserAlone() throws {
        let folder = try TemporaryFolder()
        for environment in [
            ["XDG_STATE_HOME": folder.path + "/state"], ["HOME": folder.path],
            ["HOME": folder.path, "XDG_STATE_HOME": "state"],
        ] {
            let last = LastSession(environment)
            let isFirst = last.address == nil
            #expect(isFirst == (environment.count == 1))
            last.keep(try SessionURL("http://a/sessions/old"))
            last.keep(try SessionURL("http://a/sessions/x"))
            #expect(last.address == "http://a/sessions/x")
            #expect(try SessionURL(place: "-", environment).text == "http://a/sessions/x")
        }
        for path in ["/state/storehouse", "/.local/state/storehouse"] {
            let folder = folder.path + path
            let mode = try #require(
                FileManager.default.attributesOfItem(atPath: folder + "/session")[.posixPermissions] as? Int)
            #expect(mode == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["session"])
        }
    }

    @Test func withoutAFolderThereIsNone() throws {
        let last = LastSession([:])
        last.keep(try SessionURL("http://a/sessions/x"))
        #expect(last.address == nil)
    }
}
