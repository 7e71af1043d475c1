import CommandLine
import StorehouseClient
import Testing

@Suite struct EventLinesTests {
    private static func lines(_ events: [(String, String)], inColor: Bool = false) -> [String] {
        var lines = EventLines(inColor: inColor)
        return events.map { lines.line(of: StreamedEvent(name: $0, data: $1, id: ""), at: 0) }
    }

    @Test func aPatchShowsTheOldAndTheNewValue() {
        let lines = Self.lines([
            ("state", #"{"revision":4,"state":{"count":2,"tags":["a"]}}"#),
            ("patch", #"{"revision":5,"patch":[{"op":"replace","path":"/count","value":3}]}"#),
            (
                "patch",
                #"{"revision":7,"patch":[{"op":"remove","path":"/tags/0"},{"op":"add","path":"/tags/-","value":"b"}]}"#
            ),
            ("patch", #"{"revision":8,"patch":[{"op":"move","from":"/tags","path":"/words"}]}"#),
            ("patch", #"{"revision":9,"patch":[{"op":"replace","path":"","value":null}]}"#),
        ])
        #expect(
            lines == [
                #"00:00:00.000Z #4 {"count":2,"tags":["a"]}"#, "00:00:00.000Z #5 /count: 2 → 3",
                #"00:00:00.000Z #7 /tags/0: - "a", /tags/-: + "b""#,
                "00:00:00.000Z #8 /tags → /words", #"00:00:00.000Z #9 {"count":3,"words":["b"]} → null"#,
            ])
    }

    @Test func effectsAndEndsAreShown() {
        let lines = Self.lines([
            ("effect", #"{"effect":"animal.fetch","phase":"retrying","cause":4,"attempt":2,"code":"timeout"}"#),
            ("effect", #"{"effect":"animal.fetch","phase":"succeeded","cause":4,"duration":12}"#),
            ("state", #"{"revision":9,"state":1,"skipped":3}"#), ("closed", #"{"reason":"draining"}"#),
            ("other", "text"),
        ])
        #expect(
            lines == [
                "00:00:00.000Z #4 effect animal.fetch retrying timeout attempt 2",
                "00:00:00.000Z #4 effect animal.fetch succeeded 12 ms", "00:00:00.000Z #9 (3 left out) 1",
                "00:00:00.000Z closed: draining", #"00:00:00.000Z other "text""#,
            ])
    }

    @Test func colourIsForThoseWhoWantIt() {
        let event = ("patch", #"{"revision":1,"patch":[{"op":"add","path":"/a","value":1}]}"#)
        #expect(
            Self.lines([event], inColor: true)
                == ["\u{1b}[2m00:00:00.000Z\u{1b}[0m \u{1b}[36m#1\u{1b}[0m /a: \u{1b}[32m+ 1\u{1b}[0m"])
    }

    @Test func aServerCannotControlTheTerminal() {
        let lines = Self.lines([
            ("state", "{\"revision\":1,\"state\":\"\u{202E}\u{9B}31m\"}"), ("\u{1b}[2J", "\u{1b}[2J"),
        ])
        for line in lines {
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x9B && $0.value != 0x202E })
        }
    }

    @Test func aLongValueIsShortened() {
        let value = String(repeating: "x", count: 5000)
        let line = Self.lines([("state", "{\"revision\":1,\"state\":\"\(value)\"}")])[0]
        #expect(line.count < 2100)
        #expect(line.hasSuffix("…"))
    }
}
