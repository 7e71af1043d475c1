import HTTP
import Testing

/// WHATWG HTML, section 9.2.
struct ServerSentEventTests {
    @Test(arguments: [
        (ServerSentEvent(event: "state", id: "h-4", data: Array("{}".utf8)), "event: state\nid: h-4\ndata: {}\n\n"),
        (ServerSentEvent(data: Array("a\nb\r\nc\rd".utf8)), "data: a\ndata: b\ndata: c\ndata: d\n\n"),
        (ServerSentEvent(data: Array("a\n".utf8)), "data: a\ndata: \n\n"),
        (ServerSentEvent(data: Array("\r\n\n\r".utf8)), "data: \ndata: \ndata: \ndata: \n\n"),
        (ServerSentEvent(data: []), "data: \n\n"),
        (ServerSentEvent(retry: 2000, comment: "hello"), ": hello\nretry: 2000\n\n"),
        (ServerSentEvent(comment: "a\nevent: b"), ": a\n: event: b\n\n"),
        (ServerSentEvent(event: "a\nid: b\r", id: "1\u{0}\n2", data: [0x78]), "event: aid: b\nid: 12\ndata: x\n\n"),
        (ServerSentEvent(retry: -1), "\n"),
    ])
    func encodes(event: ServerSentEvent, text: String) {
        #expect(event.bytes.text == text)
    }

    @Test func linesLeaveTheBlockOpen() {
        let text = ServerSentEvent(retry: 2000, comment: "hello").lines + ServerSentEvent(data: [0x61]).bytes
        #expect(text.text == ": hello\nretry: 2000\ndata: a\n\n")
    }
}
