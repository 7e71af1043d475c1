import Foundation
import JSON
import ProcessTesting
import StorehouseServer
import Testing

/// The commands that read a session, or make something of it, as a script runs them.
@Suite struct SessionCommandTests {
    /// A session of a server, and the variables of a user.
    private struct Place {
        let live: LiveServer
        let session: LiveSession
        let folder: TemporaryFolder

        var url: String { "http://127.0.0.1:\(live.port)" }

        /// Runs a command on the last session, which it finds by itself.
        func run(_ words: String...) async throws -> ProgramResult {
            try await Program.run(words, with: ["XDG_STATE_HOME": folder.path, "STOREHOUSE_URL": url])
        }

        /// The lines of a command that succeeds, without the times at their beginnings.
        func lines(_ words: String...) async throws -> [String] {
            let variables = ["XDG_STATE_HOME": folder.path, "STOREHOUSE_URL": url]
            let result = try await Program.run(words, with: variables)
            #expect(result.status == 0 && result.errors.isEmpty, "\(words): \(result.errors)")
            return result.output.split(separator: "\n").map { line in
                String(line.contains("#") ? line.drop { $0 != "#" } : line)
            }
        }
    }

    private static func withSession(_ body: (Place) async throws -> Void) async throws {
        try await LiveServer.run { live in
            let place = Place(live: live, session: try await live.session(), folder: try TemporaryFolder())
            for by in 1...4 { #expect(try await place.session.increment(by).status == 200) }
            try await body(place)
        }
    }

    @Test func theStateIsRead() async throws {
        try await Self.withSession { place in
            let url = place.url + place.session.path
            #expect(try await place.lines("get", url, "/counter") == [#"{"count":10}"#])
            #expect(try await place.lines("get", place.session.id, "/counter/count", "--revision", "2") == ["3"])
            #expect(try await place.run("get", url, "/counter/count", "--json").json == ["revision": 4, "state": 10])
            let unknown = try await place.run("get", url, "--revision", "5")
            #expect(unknown.status == 1 && unknown.errors.contains("(404 no-such-revision)"))
        }
    }

    @Test func theLogIsRead() async throws {
        try await Self.withSession { place in
            let url = place.url + place.session.path
            _ = try await place.session.dispatch("betslip/placeBet", [:])
            #expect(
                try await place.lines("log", url, "--since", "2") == [
                    #"#3 counter/increment anonymous  {"by":3}"#, #"#4 counter/increment anonymous  {"by":4}"#,
                ])
            #expect(
                try await place.lines("log", url, "--changes", "--since", "3") == [
                    "#4 counter/increment anonymous  /counter/count 6 → 10"
                ])
            let refused = try await place.lines("log", url, "--refused")
            #expect(refused == ["#4 betslip/placeBet anonymous 409 action-rejected: empty-betslip  {}"])
            let json = try await place.lines("log", url, "--json", "--changes", "--type", "counter/increment")
            let entries = try json.map { try JSONValue(parsing: $0) }
            #expect(entries.map { $0["revision"] } == [1, 2, 3, 4])
            #expect(entries[0]["patch"]?.asArray?.count == 1)
        }
    }

    /// Each page has 1000 actions at most.
    @Test func theLogIsReadToItsEnd() async throws {
        try await Self.withSession { place in
            let batch = JSONValue.array(Array(repeating: ["type": "counter/increment"], count: 100))
            for _ in 1...11 {
                #expect(try await place.live.post(place.session.path + "/actions", json: batch).status == 200)
            }
            let lines = try await place.lines("log", place.url + place.session.path)
            #expect(lines.count == 1104)
            #expect(lines.last?.hasPrefix("#1104 ") == true)
        }
    }

    @Test func aLogThatHasLostItsBeginningSaysSo() async throws {
        let configuration = Configuration.with { $0.storage.keepCommits = 4 }
        try await LiveServer.run(configuration: configuration) { live in
            let session = try await live.session()
            for _ in 1...50 { _ = try await session.increment() }
            let result = try await Program.run(["log", "http://127.0.0.1:\(live.port)\(session.path)", "--changes"])
            #expect(result.status == 0)
            #expect(result.errors.hasPrefix("the log no longer has the actions before #"))
            #expect(result.output.hasSuffix("/counter/count 49 → 50\n"))
        }
    }

    @Test func twoRevisionsAreCompared() async throws {
        try await Self.withSession { place in
            let url = place.url + place.session.path
            let changes = try await place.lines("diff", url, "1", "3")
            #expect(changes == ["/counter/count 1 → 6"])
            #expect(try await place.lines("diff", url, "1", "--select", "/counter") == ["/count 1 → 10"])
            #expect(try await place.lines("diff", url, "4").isEmpty)
            let patch: JSONValue = [["op": "replace", "path": "/counter/count", "value": 3]]
            #expect(try await place.run("diff", url, "1", "2", "--json").json == patch)
        }
    }

    @Test func aForkIsTheLastSession() async throws {
        try await Self.withSession { place in
            let url = place.url + place.session.path
            let fork = try await place.lines("fork", url, "--revision", "2")
            #expect(fork.count == 1 && fork[0].hasPrefix(place.url + "/sessions/"))
            #expect(try await place.lines("get", "-", "/counter/count") == ["3"])
            #expect(
                try await place.lines("fork", url, "--revision", "2", "--skip", "3", "--dry-run") == [
                    "#4 counter/increment committed"
                ])
            let replayed = try await place.run("fork", url, "--revision", "1", "--skip", "3")
            #expect(replayed.output.hasSuffix("#2 counter/increment committed\n#4 counter/increment committed\n"))
            #expect(try await place.lines("get", "-", "/counter/count") == ["7"])
            let edited = try await place.run(
                "fork", url, "counter/increment", "by=30", "--revision", "1", "--replace", "3")
            #expect(edited.output.contains("#3 counter/increment committed\n#4 "))
            #expect(try await place.lines("get", "-", "/counter/count") == ["37"])
            // A session that `send` makes is the last one too.
            _ = try await place.run("send", "counter/increment", "by=5", "--store", "app")
            #expect(
                try await place.lines("send", "-", "counter/increment", "--select", "/counter") == [
                    "#2 committed", "  /count 5 → 6",
                ])
        }
    }

    @Test func onlyOneMemberIsReadFromStandardInput() async throws {
        try await Self.withSession { place in
            let url = place.url + place.session.path
            for words in [["send", url], ["fork", url, "--revision", "1", "--replace", "3"]] {
                let members = ["user/balanceIncrease", "value=@-", "note:=@-"]
                let variables = ["XDG_STATE_HOME": place.folder.path]
                let result = try await Program.run(words + members, with: variables)
                #expect(result.status == 1 && result.errors.contains("only one member can be read from it"))
            }
        }
    }

    @Test func aShareIsMade() async throws {
        try await Self.withSession { place in
            let url = place.url + place.session.path
            let share = try await place.lines(
                "share", url, "--may", "read,act", "--select", "/counter", "--expires-in", "2h", "--guest", "17",
                "--guest-name", "Ada", "--guest-roles", "viewer", "--actions", "counter/increment", "--label", "desk")
            #expect(share.count == 1 && share[0].hasPrefix(place.url + "/shared/"))
            #expect(try await place.lines("get", share[0]) == [#"{"count":10}"#])
            #expect(
                try await place.lines("send", share[0], "counter/increment", "by=2") == [
                    "#5 committed", "  /count 10 → 12",
                ])
            #expect(try await place.lines("log", url, "--since", "4") == [#"#5 counter/increment Ada  {"by":2}"#])
            let refused = try await place.run("send", share[0], "counter/decrement")
            #expect(refused.status == 1 && refused.errors.contains("(403 forbidden)"))
            let json = try await place.run("share", url, "--json").json
            #expect(json["may"] == ["read"])
        }
    }

    @Test func aSessionIsDeletedOnlyIfTheUserIsSure() async throws {
        try await Self.withSession { place in
            let url = place.url + place.session.path
            let unsure = try await place.run("delete", url)
            #expect(unsure.status == 1 && unsure.errors.contains("--yes"))
            #expect(try await place.live.get(place.session.path).status == 200)
            #expect(try await place.lines("delete", url, "--yes").isEmpty)
            #expect(try await place.live.get(place.session.path).status == 410)
        }
    }

    @Test func theInspectorHasAnAddress() async throws {
        try await Self.withSession { place in
            let variables = ["DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": "", "STOREHOUSE_URL": place.url]
            let result = try await Program.run(["open", place.session.id], with: variables)
            #expect(result.output == "\(place.url)/#\(place.session.id)\n")
        }
    }

    /// A server is no client: the variable is not one of its settings.
    @Test func aServerDoesNotMindTheVariableOfItsClients() async throws {
        let result = try await Program.run(["check-config"], with: ["STOREHOUSE_URL": "http://a"])
        #expect(result.status == 0, "\(result.errors)")
    }
}
