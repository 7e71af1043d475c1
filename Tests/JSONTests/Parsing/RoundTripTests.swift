import JSON
import Testing

@Suite("Round trip")
struct RoundTripTests {
    @Test("encoding and parsing preserves values", arguments: 0..<20 as Range<UInt64>)
    func roundTrips(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        for _ in 0..<40 {
            let value = random.value(depth: 4)
            let bytes = value.encoded(reservingCapacity: 1)
            let parsed = try JSONValue(parsing: bytes)
            #expect(parsed == value)
            #expect(parsed.hashValue == value.hashValue)
            #expect(parsed.encoded() == bytes)
        }
    }

    @Test("damaged bytes are rejected, or parsed to values that can be encoded", arguments: 0..<20 as Range<UInt64>)
    func survivesDamage(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        var refused = 0
        for _ in 0..<200 {
            let document = random.object(depth: 3).encoded()
            let damaged = random.damage(document)
            do throws(JSONSyntaxError) {
                let value = try JSONValue(parsing: damaged)
                #expect(try JSONValue(parsing: value.encoded()) == value)
            } catch {
                refused += 1
                #expect((0...damaged.count).contains(error.offset))
            }
        }
        #expect(refused > 0)
    }

    @Test("every truncated document is rejected")
    func rejectsTruncatedDocuments() {
        var random = RandomSource(seed: 7)
        let document = random.object(depth: 4).encoded()
        for length in 0..<document.count {
            let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(document[..<length])) }
            #expect((error?.offset ?? .max) <= length)
        }
    }
}
