import JSON
import Locks
import Observability
import Testing

@Suite struct LogTests {
    private let sink = LineSink()

    private func log(_ level: LogLevel = .debug, _ format: LogFormat = .text) -> Log {
        Log(level: level, format: format, sink: sink, clock: { 1_709_210_096_078 })
    }

    @Test func anEntryIsALineOfText() {
        log().info(
            "session created",
            [.init("store", "app"), .init("count", 3), .init("durable", false), .init("took", .microseconds(1500))])
        #expect(
            sink.lines == [
                "2024-02-29T12:34:56.078Z info session created store=app count=3 durable=false took=0.0015\n"
            ])
    }

    @Test func anEntryIsALineOfJSON() throws {
        log(.debug, .json).error(
            "a \"b\"\n", [.init("path", "/\u{0}"), .init("status", 500), .init("took", .seconds(2))])
        let line = try #require(sink.lines.first)
        #expect(
            try JSONValue(parsing: line) == [
                "time": "2024-02-29T12:34:56.078Z", "level": "error", "message": "a \"b\"\n", "path": "/\u{0}",
                "status": 500, "took": 2.0,
            ])
        #expect(line.split(separator: "\n").count == 1 && line.hasSuffix("\n"))
    }

    @Test(arguments: [
        ("plain/word?a&b", "plain/word?a&b"),
        ("", #""""#),
        ("two words", #""two words""#),
        ("a=b", #""a=b""#),
        (#"say "x""#, #""say \"x\"""#),
        (#"back\slash"#, #""back\\slash""#),
        ("line\nfeed\r", #""line\nfeed\u{d}""#),
        ("\u{1B}[2J", #""\u{1b}[2J""#),
        ("\u{0}\u{7F}\u{85}", #""\u{0}\u{7f}\u{85}""#),
        ("\u{2028}\u{202E}\u{200B}", #""\u{2028}\u{202e}\u{200b}""#),
        ("Käse 🧀", "\"Käse 🧀\""),
    ])
    func aFieldCannotForgeALine(text: String, written: String) {
        log().info("m", [.init("f", text)])
        #expect(sink.lines == ["2024-02-29T12:34:56.078Z info m f=\(written)\n"])
    }

    @Test func aMessageCannotForgeALine() {
        log().info("a\nb")
        #expect(sink.lines == ["2024-02-29T12:34:56.078Z info a\\nb\n"])
    }

    @Test func anAnnouncementIsWrittenAtEveryLevel() {
        log(.error).announce("listening")
        log(.error, .json).announce("listening")
        #expect(
            sink.lines == [
                "2024-02-29T12:34:56.078Z info listening\n",
                #"{"time":"2024-02-29T12:34:56.078Z","level":"info","message":"listening"}"# + "\n",
            ])
    }

    @Test(arguments: LogLevel.allCases)
    func entriesBelowTheLevelAreNotWritten(level: LogLevel) {
        let log = log(level)
        log.debug("debug")
        log.info("info")
        log.warning("warning")
        log.error("error")
        let written = sink.lines.map { $0.split(separator: " ").dropFirst().first.map(String.init) }
        #expect(written == LogLevel.allCases.filter { $0 >= level }.map(\.rawValue))
    }

    @Test func anEntryBelowTheLevelIsNotEvaluated() {
        var made = 0
        func make() -> Int {
            made += 1
            return made
        }
        log(.warning).info("\(make())", [.init("n", make())])
        #expect(made == 0)
        log(.warning).warning("\(make())", [.init("n", make())])
        #expect(made == 2)
    }

    @Test(arguments: LogFormat.allCases, ["x", "é", "\u{0}", "🧀", "\"", "\\"])
    func noLineIsLongerThanAPipeWritesAtomically(format: LogFormat, letter: String) throws {
        let long = String(repeating: letter, count: 5000)
        for count in [0, 1, 5, 50] {
            log(.debug, format).info(long, Array(repeating: .init("field", long), count: count))
        }
        #expect(sink.lines.count == 4)
        for line in sink.lines {
            #expect(line.utf8.count <= 4096)
            #expect(line.hasSuffix(format == .text ? " cut=true\n" : #""cut":true}"# + "\n"))
        }
    }

    @Test func aCutLineOfJSONIsStillJSON() throws {
        log(.debug, .json).info("long", [.init("path", String(repeating: "🧀", count: 5000)), .init("status", 200)])
        let entry = try JSONValue(parsing: try #require(sink.lines.first))
        #expect(entry["status"] == 200)
        #expect(entry["cut"] == true)
        #expect(entry["path"]?.asString?.hasSuffix("🧀…") == true)
    }
}

/// Keeps what is written.
private final class LineSink: LogSink {
    /// Guards the lines; nothing is called inside.
    private let kept = Locked<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func write(_ line: [UInt8], afterLoss notice: (Int) -> [UInt8]) {
        kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }
}
