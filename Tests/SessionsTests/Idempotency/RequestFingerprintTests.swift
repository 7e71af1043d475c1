import JSON
import Sessions
import Testing

/// A repeated request is known however its JSON is written.
@Suite struct RequestFingerprintTests {
    private func fingerprint(_ text: String) throws -> RequestFingerprint {
        let json = try JSONValue(parsing: Array(text.utf8))
        return RequestFingerprint(Array(text.utf8), json, redacted: json)
    }

    @Test(arguments: [
        (#"{"type":"a/b","payload":{"x":1,"y":[1,2]}}"#, #" { "payload" : {"y":[1, 2],"x":1}, "type":"a\/b" } "#),
        (#"{"type":"a/b","payload":{"x":"\#u{e9}/"}}"#, #"{"type":"\u0061/b","payload":{"x":"\u00e9\/"}}"#),
        (#"{"type":"a/b"}"#, #"{"payload":{},"type":"a/b"}"#),
        (#"[{"type":"a/b"},{"type":"c/d"}]"#, #"[{"type":"a/b","payload":{}},{"type":"c/d"}]"#),
        ("[1,0,10,1.5,-3,1000000000000000000,12e30]", "[1.0,-0.0,1e1,15e-1,-3.00,1E+18,1.20e31]"),
        ("[1e999999999,0.1]", "[10e999999998,1.0E-1]"), ("[0]", "[0e7]"),
        (#"{"a":{"b":{"c":1,"d":2},"e":3}}"#, #"{"a":{"e":3,"b":{"d":2,"c":1}}}"#),
    ])
    func anotherSpellingIsTheSameAction(one: String, other: String) throws {
        let (one, other) = (try fingerprint(one), try fingerprint(other))
        #expect(one.inMemory == other.inMemory && one.persistent == other.persistent)
    }

    @Test(arguments: [
        (#"{"type":"a/b","payload":{"x":1}}"#, #"{"type":"a/b","payload":{"x":2}}"#),
        (#"{"type":"a/b","payload":{"x":1}}"#, #"{"type":"a/b","payload":{"x":"1"}}"#),
        (#"{"type":"a/b","payload":{"x":1}}"#, #"{"type":"a/b","payload":{"y":1}}"#),
        (#"{"type":"a/b","payload":{"x":1,"y":2}}"#, #"{"type":"a/b","payload":{"x":2,"y":1}}"#),
        (#"{"type":"a/b","payload":{"x":null}}"#, #"{"type":"a/b","payload":{}}"#),
        (#"{"type":"a/b","payload":{"x":{}}}"#, #"{"type":"a/b","payload":{"x":[]}}"#),
        (#"{"type":"a/b"}"#, #"[{"type":"a/b"}]"#),
        (#"[{"type":"a/b"},{"type":"c/d"}]"#, #"[{"type":"c/d"},{"type":"a/b"}]"#),
        (#"{"x":"\#u{e9}"}"#, #"{"x":"e\#u{301}"}"#), (#"{"x":"K"}"#, #"{"x":"\#u{212a}"}"#),
        ("[true]", "[false]"), ("[[1],2]", "[[1,2]]"), (#"["ab",""]"#, #"["a","b"]"#), ("[1.5]", "[-1.5]"),
        ("[9007199254740993]", "[9007199254740992]"), ("[0.1]", "[0.10000000000000001]"),
        ("[12345678901234567890]", "[12345678901234567891]"), ("[10]", "[1]"), ("[1e9999999999]", "[1e9999999998]"),
    ])
    func anotherActionIsAnother(one: String, other: String) throws {
        let (one, other) = (try fingerprint(one), try fingerprint(other))
        #expect(one.inMemory != other.inMemory && one.persistent != other.persistent)
    }

    @Test func manyActionsAreAllApart() throws {
        var seen: Set<UInt64> = []
        for x in 0..<100 {
            for y in 0..<100 {
                seen.insert(try fingerprint(#"{"type":"a/b","payload":{"x":\#(x),"y":\#(y)}}"#).inMemory)
            }
        }
        #expect(seen.count == 10_000)
    }
}
