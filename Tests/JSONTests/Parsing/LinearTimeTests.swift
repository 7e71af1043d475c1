import JSON
import Platform
import Testing

/// Compares the times for inputs of size 1 and 8: linear work takes about 8 times as long, quadratic work 64 times.
@Suite("Linear time", .serialized)
struct LinearTimeTests {
    private static func repeated(_ text: String, _ count: Int, between: String = ",") -> String {
        Array(repeating: text, count: count).joined(separator: between)
    }

    private static func object(_ count: Int, _ name: (Int) -> String) -> String {
        "{" + (0..<count).map { "\"\(name($0))\":0" }.joined(separator: ",") + "}"
    }

    private static let shapes: [(name: String, text: @Sendable (Int) -> String)] = [
        ("many members", { object($0) { "name\($0)" } }),
        ("long names that differ at their end", { object($0 / 4) { repeated("x", 90, between: "") + "\($0)" } }),
        (
            "names of code points that are canonically equal",
            { object($0 / 4) { repeated("\u{E9}", 20, between: "") + "\($0)" } }
        ),
        ("names in escapes", { object($0 / 2) { "\\u0061\\n\($0)" } }),
        (
            "objects just below and above where an index pays",
            { "[" + repeated(object(16) { "n\($0)" } + "," + object(17) { "n\($0)" }, $0 / 30) + "]" }
        ),
        ("many elements", { "[" + repeated("1", $0) + "]" }),
        ("many empty containers", { "[" + repeated("{},[]", $0) + "]" }),
        ("a long text", { "\"" + repeated("x", 20 * $0, between: "") + "\"" }),
        ("a text of escapes", { "\"" + repeated("\\n\\u00e9\\uD83D\\uDE00", $0, between: "") + "\"" }),
        ("a text beyond ASCII", { "\"" + repeated("é漢😀", $0, between: "") + "\"" }),
        ("a text without end", { "\"" + repeated("é\\n", 2 * $0, between: "") }),
        ("a number of many digits", { repeated("9", 10 * $0, between: "") }),
        ("a number of many zeros", { "0." + repeated("0", 10 * $0, between: "") + "1e1" }),
        ("much white space", { repeated(" \n", 20 * $0, between: "") + "1" + repeated("\t\r", 20 * $0, between: "") }),
    ]

    @Test(arguments: shapes.map(\.name))
    func parsingTakesLinearTime(shape: String) throws {
        let text = try #require(Self.shapes.first { $0.name == shape }).text
        let small = Array(text(60).utf8)
        let large = Array(text(480).utf8)
        let ratio = Self.ratio(
            { _ = (try? JSONValue(parsing: small))?.asInteger }, { _ = (try? JSONValue(parsing: large))?.asInteger })
        #expect(ratio < 30)
    }

    @Test(arguments: ["all differ", "the last is gone", "one is new in the middle"])
    func comparingTakesLinearTime(change: String) {
        func documents(_ count: Int) -> (JSONValue, JSONValue) {
            let old = (0..<count).map { JSONValue.object(["id": .integer($0), "text": "as it was"]) }
            var new = old
            switch change {
            case "all differ": new = (0..<count).map { ["id": .integer($0), "text": "as it is"] }
            case "the last is gone": new.removeLast()
            default: new.insert(7, at: count / 2)
            }
            return (.array(old), .array(new))
        }
        let (small, large) = (documents(40), documents(320))
        let ratio = Self.ratio(
            { _ = JSONPatch(from: small.0, to: small.1) }, { _ = JSONPatch(from: large.0, to: large.1) })
        #expect(ratio < 30)
    }

    @Test(arguments: ["the first half", "every other one", "the last half"])
    func removingMembersTakesLinearTime(which: String) {
        func input(_ count: Int) -> (document: JSONValue, patch: JSONPatch) {
            let names = (0..<count).map { "name\($0)" }
            let removed =
                switch which {
                case "the first half": Array(names.prefix(count / 2))
                case "every other one": stride(from: 0, to: count, by: 2).map { names[$0] }
                default: Array(names.suffix(count / 2))
                }
            let members = JSONObject(names.map { ($0, .integer(1)) })
            let operations = removed.map { JSONPatch.Operation.remove(JSONPointer(tokens: ["members", $0])) }
            return (["members": .object(members)], JSONPatch(operations))
        }
        func apply(_ input: (document: JSONValue, patch: JSONPatch)) {
            var document = input.document
            #expect(throws: Never.self) { try input.patch.apply(to: &document) }
        }
        let (small, large) = (input(120), input(960))
        #expect(Self.ratio({ apply(small) }, { apply(large) }) < 30)
    }

    @Test("members are removed by one patch each in linear time")
    func removingMembersOneByOneTakesLinearTime() {
        func input(_ count: Int) -> (document: JSONValue, patches: [JSONPatch]) {
            let names = (0..<count).map { "name\($0)" }
            let patches = names.prefix(count / 2).map { JSONPatch([.remove(JSONPointer(tokens: ["members", $0]))]) }
            return (["members": .object(JSONObject(names.map { ($0, .integer(1)) }))], patches)
        }
        func apply(_ input: (document: JSONValue, patches: [JSONPatch])) {
            var document = input.document
            for patch in input.patches {
                #expect(throws: Never.self) { try patch.apply(to: &document) }
            }
        }
        let (small, large) = (input(120), input(960))
        #expect(Self.ratio({ apply(small) }, { apply(large) }) < 30)
    }

    @Test("patches of several changes each are replayed in linear time")
    func replayingPatchesTakesLinearTime() {
        func input(_ count: Int) -> [JSONPatch] {
            (0..<count).map { number in
                JSONPatch([
                    .add(JSONPointer(tokens: ["members", "name\(number)"]), .integer(1)),
                    .add(JSONPointer(tokens: ["list", "-"]), .integer(number)),
                    .replace(JSONPointer(tokens: ["count"]), .integer(number)),
                ])
            }
        }
        func replay(_ patches: [JSONPatch]) {
            var document: JSONValue = ["members": [:], "list": [], "count": 0]
            for patch in patches { #expect(throws: Never.self) { try document.replay(patch) } }
            #expect(document["list"]?.asArray?.count == patches.count)
        }
        let (small, large) = (input(250), input(2000))
        #expect(Self.ratio({ replay(small) }, { replay(large) }) < 30)
    }

    @Test("a difference of many removed members, elements and moves is found in linear time")
    func manyDifferencesAreFoundInLinearTime() {
        func documents(_ count: Int) -> (JSONValue, JSONValue) {
            let members = (0..<count).map { ("name\($0)", JSONValue.integer($0)) }
            let kept = members.enumerated().filter { $0.offset % 3 > 0 }.map(\.element)
            let elements = members.map(\.1)
            let moved = kept.map(\.1).reversed()
            return (
                ["object": .object(JSONObject(members)), "list": .array(elements)],
                ["object": .object(JSONObject(kept)), "list": .array(Array(moved))]
            )
        }
        let (small, large) = (documents(600), documents(4800))
        let ratio = Self.ratio(
            { _ = JSONPatch(from: small.0, to: small.1) }, { _ = JSONPatch(from: large.0, to: large.1) })
        #expect(ratio < 30)
    }

    /// The ratio of CPU times on this thread, each the best of some runs, and of more if the work does not seem linear.
    ///
    /// Whatever else the machine does can make a run longer and not shorter, so more runs acquit no quadratic work.
    private static func ratio(_ small: () -> Void, _ large: () -> Void) -> Double {
        var (shortest, longest) = (Double.infinity, Double.infinity)
        for _ in 0..<20 where longest >= 20 * shortest {
            for _ in 0..<4 { shortest = min(shortest, time(small)) }
            longest = min(longest, time(large))
        }
        return longest / max(shortest, 1)
    }

    private static func time(_ work: () -> Void) -> Double {
        let start = now()
        work()
        return now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
