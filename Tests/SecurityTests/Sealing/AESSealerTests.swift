import Security
import Testing

@Suite struct AESSealerTests {
    private let key = Array(0..<32 as Range<UInt8>)

    @Test(arguments: [0, 1, 15, 16, 17, 1000])
    func sealsAndOpens(_ count: Int) throws {
        let sealer = try AESSealer(key: key)
        let clear = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = try #require(sealer.seal(clear))
        #expect(sealed.count == count + 29)
        #expect(sealer.open(sealed) == clear)
        // Equal secrets must not be recognizable.
        #expect(sealer.seal(clear) != sealed)
    }

    /// The format must not change. This was sealed with Python's `cryptography`.
    @Test func opensOtherImplementationsOutput() throws {
        let sealed: [UInt8] = [
            1, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 53, 210, 95, 126, 181, 1, 226, 228, 79, 136,
            252, 225, 233, 127, 109, 141, 133, 119, 14, 95, 32, 168, 118, 159, 10, 10, 245, 160, 98,
        ]
        #expect(try AESSealer(key: key).open(sealed) == Array("correct horse".utf8))
    }

    @Test func rejectsChangedInput() throws {
        let sealer = try AESSealer(key: key)
        let sealed = try #require(sealer.seal(Array("correct horse".utf8)))
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(sealer.open(changed) == nil)
        }
        for length in 0..<sealed.count { #expect(sealer.open(Array(sealed.prefix(length))) == nil) }
        #expect(sealer.open(sealed + [0]) == nil)
        let stranger = try AESSealer(key: key.reversed())
        #expect(stranger.open(sealed) == nil)
        #expect(sealer.open(sealed) == Array("correct horse".utf8))
    }

    @Test(arguments: [0, 16, 31, 33])
    func aKeyHas32Bytes(_ count: Int) {
        #expect(throws: SealerError.keyLength(count)) { try AESSealer(key: Array(repeating: 1, count: count)) }
    }

    @Test func reportsMissingLibrary() throws {
        let failure = #expect(throws: SealerError.self) {
            try AESSealer(key: key, library: "libcrypto-that-is-not-there.so")
        }
        let text = try #require(failure?.description)
        #expect(text.contains("libssl3") && text.contains("libcrypto-that-is-not-there.so"))
    }

    @Test func descriptionHidesKey() throws {
        let sealer = try AESSealer(key: key)
        var dumped = ""
        dump(sealer, to: &dumped)
        #expect([dumped, "\(sealer)", String(reflecting: sealer)].allSatisfy { !$0.contains("31") })
    }
}
