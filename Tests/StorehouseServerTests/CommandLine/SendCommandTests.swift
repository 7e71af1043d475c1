import CommandLine
import JSON
import Locks
import StoresTesting
import Testing

/// `send` against a real server.
@Suite struct SendCommandTests {
    /// The exit code and the printed lines.
    private static func send(
        _ live: LiveServer, _ path: String, _ type: String, _ words: [String] = [],
        _ change: (inout SendCommand) -> Void = { _ in }
    ) async throws -> (code: Int32, lines: [String]) {
        var command = SendCommand(try SessionURL("http://127.0.0.1:\(live.port)\(path)"), type)
        command.members = try words.map { try ActionMember($0) }
        change(&command)
        let lines = Locked<[String]>([])
        let code = try await command.run { line in lines.withLock { $0.append(line) } }
        return (code, lines.withLock { $0 })
    }

    @Test func textsBecomeWhatTheSchemaWants() async throws {
        try await LiveServer.run { live in
            let session = try await live.session("planner")
            let added = try await Self.send(live, session.path, "tasks/add", ["title=2"])
            #expect(added.code == 0)
            #expect(added.lines.first == "#1 committed")
            let edited = try await Self.send(
                live, session.path, "tasks/edit", ["id=1", "isDone=true", "due=null", "title=true"]
            ) { $0.select = "/tasks/entities/1" }
            #expect(edited.lines.count == 2)
            let state = try JSONValue(parsing: String(edited.lines[1].dropFirst("state ".count)))
            #expect(state["title"] == "true")
            #expect(state["isDone"] == true)
        }
    }

    @Test func aSessionIsCreatedFirst() async throws {
        try await LiveServer.run { live in
            let result = try await Self.send(live, "", "counter/increment", ["by=2"]) {
                ($0.store, $0.select) = ("app", "/counter/count")
            }
            let prefix = "session http://127.0.0.1:\(live.port)"
            #expect(result.lines.count == 3)
            let line = try #require(result.lines.first { $0.hasPrefix(prefix) })
            let document = try await live.get(String(line.dropFirst(prefix.count)))
            #expect(document.status == 200)
            #expect(result.lines.dropFirst() == ["#1 committed", "state 2"])
            let json = try await Self.send(live, "/", "counter/increment") { ($0.store, $0.inJSON) = ("app", true) }
            #expect(json.lines.count == 1)
            #expect(try JSONValue(parsing: json.lines[0])["session"]?.asString?.count == 22)
        }
    }

    @Test func whatCommitsNothingLeavesNoSessionBehind() async throws {
        try await LiveServer.run { live in
            let lines = Locked<[String]>([])
            await #expect(throws: CommandFailure.self) {
                var command = SendCommand(try SessionURL("http://127.0.0.1:\(live.port)"), "counter/incremnt")
                command.store = "app"
                return try await command.run { line in lines.withLock { $0.append(line) } }
            }
            #expect(lines.withLock(\.self) == [])
            let json = try await Self.send(live, "", "counter/incremnt") { ($0.store, $0.inJSON) = ("app", true) }
            #expect(json.code == 1)
            #expect(try JSONValue(parsing: json.lines[0])["session"] == nil)
            let trial = try await Self.send(live, "", "counter/increment") { ($0.store, $0.isDryRun) = ("app", true) }
            #expect(trial.lines.first == "would be committed after #0")
            #expect(try await live.get("/metrics").text.contains("storehouse_sessions 0\n"))
        }
    }

    @Test func conditionsAndTrialsAreHonoured() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let trial = try await Self.send(live, session.path, "counter/increment") { $0.isDryRun = true }
            #expect(trial.lines.first == "would be committed after #0")
            #expect(trial.lines.contains(#"patch [{"op":"replace","path":"/counter/count","value":1}]"#))
            #expect(try await Self.send(live, session.path, "counter/increment") { $0.ifMatch = "\"0\"" }.code == 0)
            let failure = await #expect(throws: CommandFailure.self) {
                try await Self.send(live, session.path, "counter/increment") { $0.ifMatch = "\"0\"" }
            }
            #expect(failure?.description.contains("(412 revision-mismatch)") == true)
        }
    }

    @Test func aProblemIsReadable() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let failure = await #expect(throws: CommandFailure.self) {
                try await Self.send(live, session.path, "counter/incremnt", ["by=2"])
            }
            #expect(failure?.description.contains("(422 unknown-action)") == true)
            #expect(failure?.description.contains("Did you mean counter/increment") == true)
            let invalid = await #expect(throws: CommandFailure.self) {
                try await Self.send(live, session.path, "counter/increment", ["by=two"])
            }
            #expect(invalid?.description.contains("/payload/by") == true)
            let json = try await Self.send(live, session.path, "counter/incremnt") { $0.inJSON = true }
            #expect(json.code == 1)
            #expect(try JSONValue(parsing: json.lines[0])["code"] == "unknown-action")
            let unknown = await #expect(throws: CommandFailure.self) {
                try await Self.send(live, "", "a/b") { $0.store = "conter" }
            }
            #expect(unknown?.description.contains("(404 no-such-store)") == true)
        }
    }

    @Test func effectsAreAwaited() async throws {
        let animal = ScriptedRemoteClient()
        animal.reply(#"{"animal":"Cat"}"#)
        try await LiveServer.run(animal: animal) { live in
            let session = try await live.session()
            let result = try await Self.send(live, session.path, "animal/fetchAnimal") {
                ($0.wait, $0.select) = (600, "/animal/currentAnimal")
            }
            #expect(result.lines == ["#2 committed effects: animal.fetch", #"state "Cat""#])
        }
    }

    @Test func aServerThatIsNotThereIsAFailure() async throws {
        let command = SendCommand(try SessionURL("http://127.0.0.1:1/sessions/x"), "a/b")
        let failure = await #expect(throws: CommandFailure.self) { try await command.run { _ in } }
        #expect(failure?.description.hasPrefix("http://127.0.0.1:1: ") == true)
    }
}
