import StoreHosting
import Stores
import Testing

@Suite struct Base64Tests {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func goesThereAndBack(_ clear: String, _ text: String) {
        #expect(Base64.text(of: Array(clear.utf8)) == text)
        #expect(Base64.bytes(of: text) == Array(clear.utf8))
    }

    @Test func everyByteAtEveryPlace() {
        for shift in 0..<3 {
            let bytes = Array(repeating: 0 as UInt8, count: shift) + Array(0...255 as ClosedRange<UInt8>)
            #expect(Base64.bytes(of: Base64.text(of: bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "Zg", "Zg=", "Z===", "====", "Zh==", "Zm9=", "Z=g=", "=Zg=", "Zg==Zg==", "Zm9v\n", "Zm-_", "Zm9vé",
    ])
    func refusesWhatItDoesNotWrite(_ text: String) { #expect(Base64.bytes(of: text) == nil) }
}
