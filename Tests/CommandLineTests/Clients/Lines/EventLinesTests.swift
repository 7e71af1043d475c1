import CommandLine
import StorehouseClient
import Testing

@Suite struct EventLinesTests {
    private static let clock = LocalClock(now: { 0 })

    private static func lines(
        _ events: [(String, String)], inColor: Bool = false, content: EventLines.Content = .changes,
        showsState: Bool = true
    ) -> [String] {
        var lines = EventLines(inColor: inColor, clock: clock, content: content, showsState: showsState)
        return events.flatMap { lines.lines(of: StreamedEvent(name: $0, data: $1, id: "")) } + lines.flush()
    }

    private static func action(_ revision: Int, _ type: String = "a/b", _ more: String = #","origin":"client""#)
        -> String
    {
        #"{"revision":\#(revision),"type":"\#(type)","payload":{"by":1}\#(more),"at":"1970-01-01T00:00:07.000Z"}"#
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
                #"00:00:00 #4 {"count":2,"tags":["a"]}"#, "00:00:00 #5  /count 2 → 3",
                #"00:00:00 #7  /tags/0 - "a", /tags/- + "b""#,
                "00:00:00 #8  /tags → /words", #"00:00:00 #9  {"count":3,"words":["b"]} → null"#,
            ])
    }

    @Test func anActionStandsBeforeWhatItHasChanged() {
        let lines = Self.lines([
            ("state", #"{"revision":4,"state":{"count":2}}"#),
            ("action", Self.action(5, "a/b", #","actor":{"kind":"user","id":"17","name":"Ada"}"#)),
            ("patch", #"{"revision":5,"patch":[{"op":"replace","path":"/count","value":3}]}"#),
            // A batch has one event of the state.
            ("action", Self.action(6, "a/c", #","actor":{"kind":"guest","id":"guest:17"}"#)),
            ("action", Self.action(7, "a/d", #","origin":"middleware","cause":6"#)),
            ("patch", #"{"revision":7,"patch":[{"op":"replace","path":"/count","value":4}]}"#),
            ("action", Self.action(8, "a/e", #","actor":{"kind":"anonymous"}"#)),
            ("closed", #"{"reason":"draining"}"#),
        ])
        #expect(
            lines == [
                #"00:00:00 #4 {"count":2}"#, "00:00:07 #5 a/b Ada  /count 2 → 3", "00:00:07 #6 a/c guest:17",
                "00:00:07 #7 a/d (middleware of #6)  /count 3 → 4", "00:00:07 #8 a/e anonymous",
                "00:00:00 closed: draining",
            ])
    }

    @Test func anActionWithoutAStateIsShownAtOnce() {
        var lines = EventLines(inColor: false, clock: Self.clock)
        _ = lines.lines(of: StreamedEvent(name: "state", data: #"{"revision":4,"state":1}"#, id: "h-4"))
        let action = StreamedEvent(name: "action", data: Self.action(5), id: "h-5")
        #expect(lines.lines(of: action) == ["00:00:07 #5 a/b (client)"])
        #expect(lines.flush().isEmpty)
    }

    @Test func actionsAloneHaveTheirPayloads() {
        let lines = Self.lines(
            [
                ("state", #"{"revision":4,"state":1}"#), ("action", Self.action(5)),
                ("patch", #"{"revision":5,"patch":[{"op":"replace","path":"","value":2}]}"#),
                ("effect", #"{"effect":"a","phase":"started","cause":5}"#),
                ("state", #"{"revision":9,"state":3,"skipped":3}"#),
            ], content: .actions)
        #expect(lines == [#"00:00:07 #5 a/b (client)  {"by":1}"#, "00:00:00 (3 left out)"])
    }

    @Test func aLaterStateIsShownAsWhatHasChanged() {
        let lines = Self.lines([
            ("state", #"{"revision":4,"state":{"a":1,"b":2}}"#), ("state", #"{"revision":4,"state":{"a":1,"b":2}}"#),
            ("state", #"{"revision":9,"state":{"a":1,"b":3},"skipped":4}"#),
            ("state", #"{"revision":12,"state":{"a":1,"b":3},"skipped":2}"#),
        ])
        #expect(
            lines == [
                #"00:00:00 #4 {"a":1,"b":2}"#, "00:00:00 #9 (4 left out)  /b 2 → 3", "00:00:00 #12 (2 left out)",
            ])
    }

    @Test func theFirstStateCanBeLeftOut() {
        let lines = Self.lines(
            [
                ("state", #"{"revision":4,"state":1}"#),
                ("patch", #"{"revision":5,"patch":[{"op":"replace","path":"","value":2}]}"#),
            ], showsState: false)
        #expect(lines == ["00:00:00 #5  1 → 2"])
    }

    @Test func actionsThatTheLogNoLongerHasAreTold() {
        var lines = EventLines(inColor: false, clock: Self.clock)
        lines.resume(after: 4, state: ["a": 1], id: "h-4")
        let shown = [
            ("action", Self.action(8)), ("state", #"{"revision":8,"state":{"a":2}}"#), ("action", Self.action(10)),
        ]
        .flatMap { lines.lines(of: StreamedEvent(name: $0, data: $1, id: "h-4")) }
        #expect(
            shown == [
                "00:00:00 (#5 to #7 are not shown: the server has only later actions)",
                "00:00:07 #8 a/b (client)  /a 1 → 2",
                "00:00:00 (#9 is not shown: the server has only later actions)",
            ])
    }

    @Test func manyChangesAreCounted() {
        let patch = (0..<50).map { #"{"op":"replace","path":"/\#($0)","value":1}"# }.joined(separator: ",")
        let line = Self.lines([("patch", "{\"revision\":5,\"patch\":[\(patch)]}")])[0]
        #expect(line.hasSuffix("/19 → 1, and 30 more"))
    }

    @Test func aDayThatIsNotTodayIsNamed() {
        let clock = LocalClock(now: { 86_400_000 * 2 }, offset: { _ in 3600 })
        #expect(clock.text(of: 86_400_000 * 2 + 1000) == "01:00:01")
        #expect(clock.text(of: 86_400_000 * 2 - 3_600_001) == "1970-01-02 23:59:59")
        #expect(clock.text(of: -1) == "1970-01-01 00:59:59")
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
                "00:00:00 #4 effect animal.fetch retrying timeout attempt 2",
                "00:00:00 #4 effect animal.fetch succeeded 12 ms", "00:00:00 #9 (3 left out) 1",
                "00:00:00 closed: draining", #"00:00:00 other "text""#,
            ])
    }

    @Test func colourIsForThoseWhoWantIt() {
        let event = ("patch", #"{"revision":1,"patch":[{"op":"add","path":"/a","value":1}]}"#)
        #expect(
            Self.lines([event], inColor: true)
                == ["\u{1b}[2m00:00:00\u{1b}[0m \u{1b}[36m#1\u{1b}[0m  /a \u{1b}[32m+ 1\u{1b}[0m"])
    }

    @Test func aServerCannotControlTheTerminal() {
        let lines = Self.lines([
            ("state", "{\"revision\":1,\"state\":\"\u{202E}\u{9B}31m\"}"), ("\u{1b}[2J", "\u{1b}[2J"),
            ("action", Self.action(2, "\u{9B}2J", ",\"actor\":{\"name\":\"\u{202E}\u{9B}31m\u{2028}\"}")),
            ("patch", "{\"revision\":2,\"patch\":[{\"op\":\"add\",\"path\":\"/\u{9B}\",\"value\":\"\u{202E}\"}]}"),
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
