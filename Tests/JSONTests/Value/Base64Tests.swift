import JSON
import Testing

@Suite struct Base64Tests {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func roundTrips(_ clear: String, _ text: String) {
        #expect(Base64.encode(Array(clear.utf8)) == text)
        #expect(Base64.decode(text) == Array(clear.utf8))
    }

    @Test func roundTripsEveryByteAtEveryOffset() {
        for shift in 0..<3 {
            let bytes = Array(repeating: 0 as UInt8, count: shift) + Array(0...255 as ClosedRange<UInt8>)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "Zg", "Zg=", "Z===", "====", "Zh==", "Zm9=", "Z=g=", "=Zg=", "Zg==Zg==", "Zm9v\n", "Zm-_", "Zm9vé",
    ])
    func rejectsNonCanonicalText(_ text: String) { #expect(Base64.decode(text) == nil) }
}
