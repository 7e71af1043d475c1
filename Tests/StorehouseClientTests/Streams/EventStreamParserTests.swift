import StorehouseClient
import Testing

/// The rules of the HTML Living Standard, 9.2.6.
@Suite struct EventStreamParserTests {
    private static func events(_ text: String, pieces: Int = 1_000) -> [StreamedEvent] {
        var parser = EventStreamParser()
        var events: [StreamedEvent] = []
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            events += parser.feed(Array(bytes.prefix(pieces)))
            bytes = bytes.dropFirst(pieces)
        }
        return events
    }

    @Test(arguments: [1, 2, 3, 1_000])
    func eventsAreFoundHoweverTheBytesAreDivided(pieces: Int) {
        let text =
            "retry: 5\n: note\n\nevent: state\nid: h-1\ndata: {\"a\":\ndata: \"ä\"}\n\ndata:x\r\n\r\nevent: y\rdata\r\r"
        #expect(
            Self.events(text, pieces: pieces) == [
                StreamedEvent(name: "state", data: "{\"a\":\n\"ä\"}", id: "h-1"),
                StreamedEvent(name: "message", data: "x", id: "h-1"),
                StreamedEvent(name: "y", data: "", id: "h-1"),
            ])
    }

    @Test func anEventWithoutDataIsNone() {
        #expect(Self.events("event: state\nid: h-2\n\n") == [])
    }

    @Test func anUnfinishedEventIsNone() {
        #expect(Self.events("data: x\n") == [])
    }

    @Test func aByteOrderMarkIsSkippedAtTheStartOnly() {
        #expect(Self.events("\u{FEFF}data: x\n\n").map(\.data) == ["x"])
        #expect(Self.events("data: x\n\u{FEFF}data: y\n\n").map(\.data) == ["x"])
    }

    @Test func onlyOneSpaceIsCutOff() {
        #expect(Self.events("data:  x \n\n").map(\.data) == [" x "])
    }

    @Test func anEventKeepsTheIDBeforeIt() {
        var parser = EventStreamParser(lastEventID: "h-7")
        #expect(parser.feed(Array("data: x\n\n".utf8)).map(\.id) == ["h-7"])
        #expect(parser.feed(Array("id: a\0b\ndata: x\n\n".utf8)).map(\.id) == ["h-7"])
        #expect(parser.feed(Array("id\ndata: x\n\n".utf8)).map(\.id) == [""])
    }

    @Test(arguments: [
        ("retry: 1500\n", Duration.milliseconds(1500)), ("retry: 1\nretry: 2\n", .milliseconds(2)),
        ("retry: -1\n", nil), ("retry: 1s\n", nil), ("retry:\n", nil), ("retry: 99999999999999999999\n", nil),
    ])
    func theTimeOfRetryIsAWholeNumber(text: String, retry: Duration?) {
        var parser = EventStreamParser()
        _ = parser.feed(Array(text.utf8))
        #expect(parser.retry == retry)
    }

    @Test(arguments: [
        (": heartbeat 1500 ms\n", Optional(Duration.milliseconds(1500))), (":heartbeat 2 ms\n\n", .milliseconds(2)),
        (": storehouse\n", nil), (": heartbeat 0 ms\n", nil), (": heartbeat -5 ms\n", nil), (":\n", nil),
        (": heartbeat 99999999999999999999 ms\n", nil), (": heartbeat 5 s\n", nil), ("heartbeat: 1500 ms\n", nil),
    ])
    func theTimeOfHeartbeatsIsThatOfTheComment(text: String, heartbeat: Duration?) {
        var parser = EventStreamParser()
        _ = parser.feed(Array(text.utf8))
        #expect(parser.heartbeat == heartbeat)
    }

    @Test func aLineWithoutEndIsNotCollected() {
        var parser = EventStreamParser(maxBytes: 100)
        let part = [UInt8](repeating: 120, count: 50)
        _ = parser.feed(part + part)
        #expect(parser.isValid)
        _ = parser.feed([120])
        #expect(!parser.isValid)
    }

    @Test func anEventOfManyLinesIsNotCollectedEither() {
        var parser = EventStreamParser(maxBytes: 100)
        for _ in 0..<11 { _ = parser.feed(Array("data: 123456789\n".utf8)) }
        #expect(!parser.isValid)
    }
}
