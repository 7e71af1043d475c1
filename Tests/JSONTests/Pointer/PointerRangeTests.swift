import JSON
import Testing

@Suite("Pointer into bytes")
struct PointerRangeTests {
    @Test("finds the range of every value of a random document", arguments: 0..<20 as Range<UInt64>)
    func agreesWithTree(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        for _ in 0..<4 {
            let document = random.object(depth: 4)
            let bytes = document.encoded()
            for pointer in Self.pointers(into: document, from: .root) {
                let value = pointer.value(in: document)
                let range = try #require(pointer.range(in: bytes))
                #expect(value?.encoded() == Array(bytes[range]))
                #expect(try JSONPointer(pointer.description) == pointer)
                let beyond = pointer.appending("no such name")
                #expect(beyond.value(in: document) == nil && beyond.range(in: bytes) == nil)
            }
        }
    }

    @Test("scans any bytes safely", arguments: 0..<20 as Range<UInt64>)
    func survivesDamage(seed: UInt64) {
        var random = RandomSource(seed: seed)
        for _ in 0..<30 {
            let document = random.object(depth: 3)
            let damaged = random.damage(document.encoded())
            for pointer in Self.pointers(into: document, from: .root).prefix(10) {
                guard let range = pointer.range(in: damaged) else { continue }
                #expect(!range.isEmpty && range.upperBound <= damaged.count)
            }
        }
    }

    @Test(
        "finds nothing in a truncated document",
        arguments: [
            "", " ", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":[", "{\"a\":\"", "{\"a\":\"\\", "{\"\\u00\":1}",
            "{\"a\":}", "[", "]",
        ])
    func findsNothing(text: String) {
        let bytes = Array(text.utf8)
        #expect(JSONPointer(tokens: ["a"]).range(in: bytes) == nil)
        #expect(JSONPointer(tokens: ["0"]).range(in: bytes) == nil)
        #expect(JSONPointer(tokens: ["b"]).range(in: bytes) == nil)
    }

    private static func pointers(into value: JSONValue, from pointer: JSONPointer) -> [JSONPointer] {
        switch value {
        case .object(let object):
            [pointer] + object.flatMap { pointers(into: $0.value, from: pointer.appending($0.name)) }
        case .array(let elements):
            [pointer] + elements.enumerated().flatMap { pointers(into: $0.element, from: pointer.appending($0.offset)) }
        default: [pointer]
        }
    }
}
