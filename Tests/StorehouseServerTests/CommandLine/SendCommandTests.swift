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
        let url = try SessionURL("http://127.0.0.1:\(live.port)\(path)")
        var command = SendCommand(url, [.init(type, try words.map { try ActionMember($0) })])
        change(&command)
        return try await run(command)
    }

    private static func run(
        _ command: SendCommand, input: CommandInput = CommandInput()
    ) async throws -> (code: Int32, lines: [String]) {
        let lines = Locked<[String]>([])
        var terminal = Self.terminal(lines)
        terminal.input = input
        let code = try await command.run(terminal)
        return (code, lines.withLock { $0 })
    }

    private static func terminal(_ lines: Locked<[String]>) -> ClientTerminal {
        ClientTerminal(
            inColor: false,
            print: { line in
                lines.withLock { $0.append(line) }
                return true
            })
    }

    @Test func textsBecomeWhatTheSchemaWants() async throws {
        try await LiveServer.run { live in
            let session = try await live.session("planner")
            let added = try await Self.send(live, session.path, "tasks/add", ["title=2"])
            #expect(added.code == 0)
            #expect(added.lines.first == "#1 committed")
            let edited = try await Self.send(
                live, session.path, "tasks/edit", ["id=1", "isDone=true", "due=null", "title=true"]
            ) { ($0.select, $0.showsState) = ("/tasks/entities/1", true) }
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
            #expect(result.lines.dropFirst() == ["#1 committed", "  0 → 2"])
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
                return try await command.run(Self.terminal(lines))
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
            #expect(trial.lines.dropFirst() == ["  /counter/count 0 → 1"])
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

    @Test func aBatchIsSentWhole() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let url = try SessionURL("http://127.0.0.1:\(live.port)\(session.path)")
            let by = [try ActionMember("by=2")]
            let sent = try await Self.run(
                SendCommand(url, [.init("counter/increment", by), .init("tasks/add", [try ActionMember("title=3")])]))
            #expect(sent.lines.prefix(2) == ["#2 committed", "  /counter/count 0 → 2"])
            #expect(sent.lines.contains(#"  /tasks/entities/1 + {"id":1,"title":"3","isDone":false}"#))
            let failure = await #expect(throws: CommandFailure.self) {
                try await Self.run(SendCommand(url, [.init("counter/increment"), .init("betslip/placeBet")]))
            }
            #expect(failure?.description.contains("(409 action-rejected, action 2 of the batch)") == true)
            let input = CommandInput(contents: { _ in
                Array(#"[{"type":"counter/increment"},{"type":"counter/increment"}]"#.utf8)
            })
            #expect(
                try await Self.run(SendCommand(url, []), input: input).lines == [
                    "#4 committed", "  /counter/count 2 → 4",
                ])
            for text in ["", "2", "{"] {
                let input = CommandInput(contents: { _ in Array(text.utf8) })
                await #expect(throws: CommandFailure.self) { try await Self.run(SendCommand(url, []), input: input) }
            }
        }
    }

    @Test func aShareThatMayNotReadGetsNoState() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let shares = try await live.post(session.path + "/shares", json: ["may": ["act"]])
            let share = try #require(try JSONValue(parsing: shares.text)["share"]?.asString)
            let sent = try await Self.send(live, "/shared/" + share, "counter/increment")
            #expect(sent.code == 0)
            #expect(try await live.get(session.path + "/state?select=/counter/count").text.contains(#""state":1"#))
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
            #expect(result.lines == ["#2 committed effects: animal.fetch", #"  "" → "Cat""#])
        }
    }

    @Test func aServerThatIsNotThereIsAFailure() async throws {
        let command = SendCommand(try SessionURL("http://127.0.0.1:1/sessions/x"), "a/b")
        let failure = await #expect(throws: CommandFailure.self) { try await Self.run(command) }
        #expect(failure?.description.hasPrefix("http://127.0.0.1:1: ") == true)
    }
}
