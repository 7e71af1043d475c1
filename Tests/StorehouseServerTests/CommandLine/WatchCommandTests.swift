import CommandLine
import Foundation
import JSON
import Locks
import ProcessTesting
import StorehouseServer
import Testing

/// `watch` against a real server.
@Suite struct WatchCommandTests {
    /// The printed lines, awaited one after the other.
    private final class Lines: Sendable {
        private struct Contents {
            var lines: [String] = []
            var isClosed = false
        }

        private let contents = Locked(Contents())

        var all: [String] { contents.withLock { $0.lines } }

        func close() { contents.withLock { $0.isClosed = true } }

        func add(_ line: String) -> Bool {
            contents.withLock { contents in
                contents.lines.append(line)
                return !contents.isClosed
            }
        }

        /// Waits until a line has this text.
        func line(with text: String) async throws {
            try await waitUntil { all.contains { $0.contains(text) } }
        }
    }

    private static func watch(
        _ url: String, _ lines: Lines, select: String? = nil, inJSON: Bool = false,
        sleep: @escaping @Sendable (Duration) -> Void = { _ in },
        change: @Sendable (inout WatchCommand) -> Void = { _ in }
    ) async throws {
        var command = WatchCommand(try SessionURL(url), select: select, inJSON: inJSON)
        change(&command)
        try await command.run(ClientTerminal(inColor: false, print: { lines.add($0) }, sleep: sleep))
    }

    /// A line without its time.
    private static func text(_ line: String) -> String { String(line.drop { "0123456789-: ".contains($0) }) }

    @Test func changesAreShownUntilTheSessionEnds() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let lines = Lines()
            async let watch: Void = Self.watch(
                "http://127.0.0.1:\(live.port)\(session.path)", lines, select: "/counter/count")
            try await lines.line(with: "#0 0")
            _ = try await live.post(
                session.path + "/actions", json: ["type": "counter/increment", "payload": ["by": 3]])
            try await lines.line(with: "#1 counter/increment anonymous  0 → 3")
            _ = try await live.delete(session.path)
            try await watch
            #expect(lines.all.count == 3)
            #expect(lines.all.last?.hasSuffix("closed: session-ended") == true)
            let late = Lines()
            try await Self.watch("http://127.0.0.1:\(live.port)\(session.path)", late)
            #expect(late.all.map(Self.text) == ["(the session has ended)"])
        }
    }

    @Test func `events that it does not know stop it not`() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let lines = Lines()
            async let watch: Void = Self.watch(
                "http://127.0.0.1:\(live.port)\(session.path)/events?ready=true", lines, select: "/counter/count")
            try await lines.line(with: #"ready {"revision":0,"#)
            #expect(try await session.increment(3).status == 200)
            try await lines.line(with: "#1 counter/increment anonymous  0 → 3")
            #expect(try await session.delete().status == 204)
            try await watch
            #expect(lines.all.count == 4)
        }
    }

    /// The server ends each stream after a while. No change is missed, and none is shown twice.
    @Test func aStreamIsResumed() async throws {
        let configuration = Configuration.with { $0.streams.maxLifetime = .milliseconds(100) }
        try await LiveServer.run(configuration: configuration) { live in
            let session = try await live.session()
            let lines = Lines()
            let delays = Locked<[Duration]>([])
            let url = "http://127.0.0.1:\(live.port)\(session.path)/events?select=/counter/count"
            async let watch: Void = Self.watch(url, lines) { delay in delays.withLock { $0.append(delay) } }
            for revision in 1...30 {
                try await lines.line(with: revision == 1 ? "#0 0" : "#\(revision - 1) ")
                _ = try await live.post(session.path + "/actions", json: ["type": "counter/increment"])
            }
            try await lines.line(with: "#30 ")
            try await lines.line(with: "rotated; reconnecting in")
            _ = try await live.delete(session.path)
            try await watch
            let revisions = lines.all.map(Self.text).filter { $0.hasPrefix("#") }.map { $0.prefix { $0 != " " } }
            #expect(revisions.map(String.init) == (0...30).map { "#\($0)" })
            #expect(delays.withLock { $0.allSatisfy { $0 >= .seconds(1) } })
        }
    }

    @Test func whatWasMissedComesFirst() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let url = "http://127.0.0.1:\(live.port)\(session.path)"
            for _ in 1...4 { _ = try await session.increment() }
            let (lines, actions, json) = (Lines(), Lines(), Lines())
            async let watch: Void = Self.watch(url, lines, change: { ($0.since, $0.select) = (2, "/counter/count") })
            async let second: Void = Self.watch(url, actions, change: { ($0.since, $0.content) = (3, .actions) })
            async let third: Void = Self.watch(url, json, inJSON: true, change: { $0.content = .actions })
            try await lines.line(with: "#4 ")
            try await actions.line(with: "#4 ")
            // Such a stream begins without a line, so its actions are repeated until the first is seen.
            var count = 4
            while json.all.isEmpty {
                _ = try await session.increment()
                count += 1
            }
            try await lines.line(with: "#\(count) ")
            try await actions.line(with: "#\(count) ")
            _ = try await live.delete(session.path)
            _ = try await (watch, second, third)
            #expect(
                lines.all.prefix(3).map(Self.text)
                    == (3...5).map {
                        "#\($0) counter/increment anonymous  \($0 - 1) → \($0)"
                    })
            #expect(
                actions.all.map(Self.text) == (4...count).map { #"#\#($0) counter/increment anonymous  {"by":1}"# }
                    + ["closed: session-ended"])
            let names = try json.all.map { try JSONValue(parsing: $0)["event"]?.asString }
            #expect(Set(names.dropLast()) == ["action"] && names.last == "closed")
        }
    }

    @Test func whatTheLogNoLongerHasIsTold() async throws {
        let configuration = Configuration.with { $0.storage.keepCommits = 4 }
        try await LiveServer.run(configuration: configuration) { live in
            let session = try await live.session()
            for _ in 1...50 { _ = try await session.increment() }
            let lines = Lines()
            async let watch: Void = Self.watch(
                "http://127.0.0.1:\(live.port)\(session.path)", lines, change: { $0.since = 1 })
            try await lines.line(with: "#50 ")
            _ = try await live.delete(session.path)
            try await watch
            let texts = lines.all.map(Self.text)
            #expect(texts[0].hasPrefix("(what came before #") && texts[0].hasSuffix(" is not stored any more)"))
            #expect(texts.dropLast().last == "#50 counter/increment anonymous  /counter/count 49 → 50")
            let failure = await #expect(throws: CommandFailure.self) {
                try await Self.watch("http://127.0.0.1:\(live.port)\(session.path)", Lines(), change: { $0.since = 99 })
            }
            #expect(failure?.description.contains("session-ended") == true)
        }
    }

    @Test func aShareShowsItsChanges() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let answer = try await live.post(session.path + "/shares", json: ["select": "/counter"])
            let share = try #require(try JSONValue(parsing: answer.text)["share"]?.asString)
            _ = try await session.increment()
            let (lines, resumed) = (Lines(), Lines())
            let url = "http://127.0.0.1:\(live.port)/shared/\(share)"
            async let watch: Void = Self.watch(url, lines, change: { $0.showsState = true })
            async let second: Void = Self.watch(url, resumed, change: { $0.since = 0 })
            try await lines.line(with: "#1 ")
            try await resumed.line(with: "#1 ")
            _ = try await session.increment()
            try await lines.line(with: "#2 ")
            try await resumed.line(with: "#2 ")
            _ = try await live.delete(session.path)
            _ = try await (watch, second)
            #expect(lines.all.prefix(2).map(Self.text) == [#"#1 {"count":1}"#, "#2  /count 1 → 2"])
            #expect(resumed.all.prefix(2).map(Self.text) == ["#1  /count → 1", "#2  /count → 2"])
        }
    }

    /// The test plays a server that knows no actions.
    @Test func aServerThatRefusesTheParameterIsAskedWithoutIt() async throws {
        let listener = try TestListener()
        let lines = Lines()
        async let watch: Void = Self.watch("http://127.0.0.1:\(listener.port)/sessions/x", lines)
        let first = try await listener.connection()
        #expect(try await first.requestHead().first?.contains("actions=true") == true)
        try await first.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        let second = try await listener.connection()
        #expect(try await second.requestHead().first?.contains("actions") == false)
        let event = "event: closed\ndata: {\"reason\":\"session-ended\"}\n\n"
        try await second.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + event)
        try await watch
        #expect(lines.all.map(Self.text) == ["closed: session-ended"])
        withExtendedLifetime(first) {}
    }

    /// `storehouse watch URL | head -1`, with the pipe of the system.
    @Test func theProgramEndsWithTheReaderOfItsPipe() async throws {
        let bash = try #require(Tool("bash"))
        let program = try #require(Products.directory).appending(path: "storehouse").path
        try await LiveServer.run { live in
            let session = try await live.session()
            let url = "http://127.0.0.1:\(live.port)\(session.path)"
            let script = #"set -o pipefail; "$1" watch "$2" --select /counter | head -n 1; echo "status $?""#
            let result = try await bash.run(["-c", script, "bash", program, url])
            #expect(result.output.hasSuffix("#0 {\"count\":0}\nstatus 0\n"), "\(result.output) \(result.errors)")
        }
    }

    @Test func eventsAreJSONForScripts() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let lines = Lines()
            async let watch: Void = Self.watch(
                "http://127.0.0.1:\(live.port)\(session.path)", lines, inJSON: true)
            try await lines.line(with: #""event":"state""#)
            _ = try await live.delete(session.path)
            try await watch
            let events = try lines.all.map { try JSONValue(parsing: $0) }
            #expect(events.map { $0["event"] } == ["state", "closed"])
            #expect(events[0]["data"]?["state"]?["counter"]?["count"] == 0)
            #expect(events[0]["id"]?.asString?.hasSuffix("-0") == true)
        }
    }

    /// The test plays a server whose connection is dead after the first event.
    @Test func aSilentServerIsAskedAgain() async throws {
        let listener = try TestListener()
        let (lines, delays) = (Lines(), Locked<[Duration]>([]))
        let (head, url) = (
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", "http://127.0.0.1:\(listener.port)/sessions/x"
        )
        async let watch: Void = Self.watch(url, lines) { delay in delays.withLock { $0.append(delay) } }
        let dead = try await listener.connection()
        _ = try await dead.requestHead()
        let state = "event: state\nid: h-4\ndata: {\"revision\":4,\"state\":1}\n\n"
        try await dead.send(head + "retry: 60000\n: heartbeat 100 ms\n" + state)
        let next = try await listener.connection()
        let request = try await next.requestHead()
        #expect(request.contains("Last-Event-ID: h-4"))
        #expect(request.contains("Prefer: status"))
        try await next.send(head + "event: closed\ndata: {\"reason\":\"session-ended\"}\n\n")
        try await watch
        let texts = lines.all.map(Self.text)
        #expect(texts == ["#4 1", "(the server is silent; reconnecting)", "closed: session-ended"])
        // It has waited long enough.
        #expect(delays.withLock(\.self) == [.zero])
        withExtendedLifetime(dead) {}
    }

    @Test func aRefusalThatPassesIsWaitedFor() async throws {
        let listener = try TestListener()
        let (lines, delays) = (Lines(), Locked<[Duration]>([]))
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
        async let watch: Void = Self.watch("http://127.0.0.1:\(listener.port)/sessions/x", lines) { delay in
            delays.withLock { $0.append(delay) }
        }
        for (retry, reason) in [(7000, "unavailable"), (1000, "session-ended")] {
            let connection = try await listener.connection()
            _ = try await connection.requestHead()
            let body = "retry: \(retry)\nevent: closed\ndata: {\"reason\":\"\(reason)\"}\n\n"
            try await connection.send(head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
        }
        try await watch
        #expect(delays.withLock { $0.count == 1 && $0.allSatisfy { $0 >= .seconds(7) } })
    }

    @Test func aReaderWhoHasLeftEndsItWithoutAnEvent() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let (lines, isRead) = (Lines(), Locked(true))
            let command = WatchCommand(try SessionURL("http://127.0.0.1:\(live.port)\(session.path)"))
            async let watch: Void = command.run(
                ClientTerminal(
                    inColor: false, print: { lines.add($0) }, hasReader: { isRead.withLock(\.self) }))
            try await lines.line(with: "#0 ")
            isRead.withLock { $0 = false }
            try await watch
            #expect(lines.all.count == 1)
        }
    }

    @Test func whatOthersWriteCannotControlTheTerminal() async throws {
        let hostile = "\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{7f}x"
        try await LiveServer.run { live in
            let session = try await live.session("planner")
            #expect(try await session.dispatch("tasks/add", ["title": .string(hostile)]).status == 200)
            for inJSON in [true, false] {
                let lines = Lines()
                lines.close()
                try await Self.watch("http://127.0.0.1:\(live.port)\(session.path)", lines, inJSON: inJSON)
                let line = try #require(lines.all.first)
                #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
                guard inJSON else { continue }
                let event = try JSONValue(parsing: line)
                #expect(event["data"]?["state"]?["tasks"]?["entities"]?["1"]?["title"] == .string(hostile))
            }
        }
    }

    @Test func aReaderThatLeavesEndsIt() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let lines = Lines()
            lines.close()
            try await Self.watch("http://127.0.0.1:\(live.port)\(session.path)", lines)
            #expect(lines.all.count == 1)
        }
    }

    @Test func aRefusalIsAFailure() async throws {
        try await LiveServer.run { live in
            for (path, problem) in [
                ("/sessions/AAAAAAAAAAAAAAAAAAAAAA", "(404 no-such-session)"),
                ("/base/sessions/AAAAAAAAAAAAAAAAAAAAAA", "(404 no-such-resource)"),
            ] {
                let failure = await #expect(throws: CommandFailure.self) {
                    try await Self.watch("http://127.0.0.1:\(live.port)\(path)", Lines())
                }
                #expect(failure?.description.contains(problem) == true)
            }
        }
        let failure = await #expect(throws: CommandFailure.self) {
            try await Self.watch("http://127.0.0.1:1/sessions/x", Lines())
        }
        #expect(failure?.description.hasPrefix("http://127.0.0.1:1/sessions/x: ") == true)
    }
}
