import Observability
import Testing

@Suite struct FingerprintTests {
    /// Texts around the length of a block, with digests as `sha256sum` prints them.
    @Test(arguments: [
        ("", "e3b0c442"), ("abc", "ba7816bf"), ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61"),
        (String(repeating: "a", count: 55), "9f4390f8"), (String(repeating: "a", count: 56), "b35439a4"),
        (String(repeating: "a", count: 64), "ffe054fe"), (String(repeating: "a", count: 1000), "41edece4"),
    ])
    func itIsTheStartOfTheSHA256(text: String, digits: String) { #expect(Fingerprint.of(text) == digits) }
}
