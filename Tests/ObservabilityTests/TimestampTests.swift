import Observability
import Platform
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_799_999, "2000-02-29T23:59:59.999Z"),
        (1_709_210_096_078, "2024-02-29T12:34:56.078Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (.max, "9999-12-31T23:59:59.999Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (.min, "0000-01-01T00:00:00.000Z"),
    ])
    func aMomentIsWrittenInUTC(milliseconds: Int, text: String) {
        #expect(Timestamp.rfc3339(milliseconds) == text)
        // A moment that no year of four digits has is another one as a text.
        let isExact = (-62_167_219_200_000...253_402_300_799_999).contains(milliseconds)
        if isExact { #expect(Timestamp.milliseconds(of: text) == milliseconds) }
    }

    @Test(arguments: [
        "", "1970-01-01", "1970-01-01T00:00:00Z", "1970-13-01T00:00:00.000Z", "1970-02-30T00:00:00.000Z",
        "1970-01-01 00:00:00.000Z", "1970-01-01T00:00:00.000+", "1970-01-01T00:60:00.000Z", "197O-01-01T00:00:00.000Z",
    ])
    func anotherTextIsNoMoment(text: String) {
        #expect(Timestamp.milliseconds(of: text) == nil)
    }

    @Test func theSystemTimeIsInThisCentury() {
        #expect((1_700_000_000_000...4_102_444_800_000).contains(systemTime()))
    }
}
