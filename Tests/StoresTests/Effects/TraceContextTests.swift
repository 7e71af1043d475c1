import Locks
import Stores
import Testing

@Suite struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "b7ad6b7169203331"

    @Test(arguments: [
        "00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-00", "cc-\(trace)-\(parent)-01",
        "cc-\(trace)-\(parent)-01-what-ever",
    ])
    func aWellFormedValueIsUnchanged(_ text: String) {
        #expect(TraceContext(text)?.traceparent == text)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(parent)-0", "00-\(trace)-\(parent)-01-", "00-\(trace)-\(parent)-01-x",
        "ff-\(trace)-\(parent)-01", "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent)_01",
        "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace)-\(parent)-0g", "cc-\(trace)-\(parent)-01.", "cc-\(trace)-\(parent)-01-a\r\nX: y",
        " 00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-01 ",
        "cc-\(trace)-\(parent)-01-" + String(repeating: "x", count: 500),
    ])
    func whatIsMalformedIsNone(_ text: String) {
        #expect(TraceContext(text) == nil)
    }

    @Test func theIDIsThatOfTheTrace() {
        #expect(TraceContext("00-\(Self.trace)-\(Self.parent)-01")?.id == Self.trace[...])
    }

    @Test(arguments: [
        ("a=1", true), ("a=1,b@c=\t2 , ", true), (String(repeating: "x", count: 512), true),
        (String(repeating: ",", count: 31), true), (String(repeating: ",", count: 32), false),
        (String(repeating: "x", count: 513), false), ("", false), ("a=1\r\nX: y", false), ("a=ä", false),
    ])
    func theStateIsUnchangedOrDropped(_ state: String, isKept: Bool) {
        let trace = TraceContext("00-\(Self.trace)-\(Self.parent)-01", tracestate: state)
        #expect(trace != nil)
        #expect(trace?.tracestate == (isKept ? state : nil))
    }
}
