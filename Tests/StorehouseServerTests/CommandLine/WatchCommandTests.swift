import JSON
import Locks
import Storehouse
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
        sleep: @escaping @Sendable (Duration) -> Void = { _ in }
    ) async throws {
        let command = WatchCommand(try SessionURL(url), select: select, inJSON: inJSON)
        try await command.run(
            WatchCommand.Surroundings(inColor: false, print: { lines.add($0) }, sleep: sleep))
    }

    @Test func changesAreShownUntilTheSessionEnds() async throws {
        try await LiveServer.run { live in
            let session = try await live.session()
            let lines = Lines()
            async let watch: Void = Self.watch(
                "http://127.0.0.1:\(live.port)\(session.path)", lines, select: "/counter/count")
            try await lines.line(with: "#0 0")
            _ = try await live.post(
                session.path + "/actions", json: ["type": "counter/increment", "payload": ["by": 3]])
            try await lines.line(with: "#1 0 → 3")
            _ = try await live.delete(session.path)
            try await watch
            #expect(lines.all.count == 3)
            #expect(lines.all.last?.hasSuffix("closed: session-ended") == true)
            let late = Lines()
            try await Self.watch("http://127.0.0.1:\(live.port)\(session.path)", late)
            #expect(late.all.map { $0.dropFirst(14) } == ["(the session has ended)"])
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
            let revisions = lines.all.compactMap { $0.split(separator: " ").dropFirst().first }.filter {
                $0.hasPrefix("#")
            }
            #expect(revisions.map(String.init) == (0...30).map { "#\($0)" })
            #expect(delays.withLock { $0.allSatisfy { $0 >= .seconds(1) } })
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
