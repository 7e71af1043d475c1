import JSON
import StorehouseServer
import Testing

/// Streams for a terminal: one line for each change.
@Suite struct TerminalStreamTests {
    @Test func eachChangeIsOneLine() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("planner")
            let lines = try await Lines(of: session)
            #expect(lines.head["content-type"] == "text/plain; charset=utf-8")
            #expect(lines.head["cache-control"] == "no-store, no-transform")
            #expect(try await lines.next().hasPrefix("#0 {\"tasks\":"))
            _ = try await session.dispatch("tasks/add", ["title": "one"])
            #expect(
                try await lines.next()
                    == #"#1 tasks/add /tasks/entities/1: ∅ → {"id":1,"title":"one","isDone":false}"#)
            #expect(try await lines.next() == "#1 tasks/add /tasks/ids/0: ∅ → 1")
            #expect(try await lines.next() == "#1 tasks/add /trends/added: 0 → 1")
            _ = try await session.dispatch("tasks/remove", ["id": 1])
            #expect(try await lines.next().hasSuffix(#"/tasks/entities/1: {"id":1,"title":"one","isDone":false} → ∅"#))
        }
    }

    @Test func linesAreOfTheSelectedValue() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let pointed = try await Lines(of: session, "?select=/counter/count")
            let named = try await Lines(of: session, "?select=summary&changes=patch")
            #expect(try await pointed.next() == "#0 0")
            #expect(try await named.next() == #"#0 {"open":0,"done":0,"favorites":0,"overdue":0}"#)
            _ = try await session.dispatch("settings/update", ["theme": "dark"])
            _ = try await session.increment(5)
            #expect(try await pointed.next() == "#2 counter/increment 0 → 5")
            _ = try await session.post([
                ["type": "counter/increment"], ["type": "tasks/add", "payload": ["title": "x"]],
                ["type": "counter/decrement"],
            ])
            #expect(try await named.next() == "#5 counter/decrement /open: 0 → 1")
            #expect(try await pointed.next() == "#3 counter/increment 5 → 6")
            #expect(try await pointed.next() == "#5 counter/decrement 6 → 5")
            _ = try await session.delete()
            #expect(try await pointed.next() == "(closed: session-ended)")
        }
    }

    @Test func controlCharactersAreEscaped() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let lines = try await Lines(of: session, "?select=/tasks/entities")
            _ = try await lines.next()
            _ = try await session.dispatch("tasks/add", ["title": "\u{1b}[2J\u{9b}31m\u{202e}x\u{2028}"])
            let line = try await lines.next()
            #expect(line.contains(#"\u001b[2J\u{9b}31m\u{202e}x\u{2028}"#))
        }
    }

    @Test func colorIsOptional() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let colored = try await Lines(of: session, "?select=/counter/count&color=true")
            _ = try await colored.nextLine()
            _ = try await session.increment()
            let line = try await colored.nextLine()
            #expect(
                line.hasSuffix(
                    " \u{1b}[36m#1\u{1b}[0m counter/increment \u{1b}[31m0\u{1b}[0m → \u{1b}[32m1\u{1b}[0m"))
        }
    }

    @Test(arguments: [
        ("text/plain", "text/plain; charset=utf-8"),
        ("text/plain, text/event-stream;q=0.5", "text/plain; charset=utf-8"),
        ("text/event-stream, text/plain", "text/event-stream; charset=utf-8"),
        ("*/*", "text/event-stream; charset=utf-8"),
        ("text/event-stream; charset=utf-8, text/plain;q=0.1", "text/event-stream; charset=utf-8"),
    ])
    func acceptSelectsTheFormat(_ accept: String, _ type: String) async throws {
        try await TestAPI.run { api in
            let lines = try await Lines(of: api.session(), accept: accept)
            #expect(lines.head["content-type"] == type)
        }
    }

    @Test(arguments: ["text/html", "application/json", "text/plain;q=0"])
    func anotherTypeIsRefused(_ accept: String) async throws {
        try await TestAPI.run { api in
            let response = try await api.session().read("/events", [("Accept", accept)])
            #expect(response.status == 406)
        }
    }

    @Test func `a client that asks is told when it is up to date`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let lines = try await Lines(of: session, "?select=/counter/count&ready=true&presence=true")
            #expect(try await lines.next() == "#0 0")
            #expect(try await lines.next() == "(up to date)")
            #expect(try await lines.next() == "(here: 1 anonymous)")
            _ = try await session.increment()
            #expect(try await lines.next() == "#1 counter/increment 0 → 1")
        }
    }

    @Test func silenceIsBroken() async throws {
        try await TestAPI.run(configuration: .with { $0.streams.heartbeat = .milliseconds(50) }) { api in
            let lines = try await Lines(of: api.session(), "?select=/counter/count")
            #expect(try await lines.next() == "#0 0")
            #expect(try await lines.next() == "(nothing has changed)")
        }
    }
}

/// The lines of a stream.
private final class Lines {
    let head: TestResponse
    private let client: TestClient
    private var bytes: [UInt8] = []

    init(of session: LiveSession, _ query: String = "", accept: String = "text/plain") async throws {
        client = try session.server.client()
        try await client.send(TestRequest("GET", session.path + "/events" + query, [("Accept", accept)]).bytes)
        head = try await client.head()
    }

    /// The next line.
    func nextLine() async throws -> String {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeSubrange(...end) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            guard let chunk = try await client.chunk() else { throw Wire.Failure.malformed("no line") }
            bytes += chunk
        }
    }

    /// The next line without its time, which is checked.
    func next() async throws -> String {
        let line = try await nextLine()
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].count == 13, words[0].last == "Z" else { throw Wire.Failure.malformed(line) }
        return String(words[1])
    }
}
