/// A short name for a text that must not be in the log, such as the id of a session: the first 8 hexadecimal digits of its
/// SHA-256 (FIPS 180-4). Nobody can guess the text from it, and an operator who knows the text finds its lines with
/// `printf %s TEXT | sha256sum`.
package enum Fingerprint {
    package static func of(_ text: String) -> String {
        let digits = String(sha256(Array(text.utf8))[0], radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Whether a text can be a fingerprint, also in upper case.
    package static func isWellFormed(_ text: String) -> Bool {
        text.utf8.count == 8 && text.allSatisfy(\.isHexDigit)
    }

    /// The hash as eight words.
    private static func sha256(_ message: [UInt8]) -> [UInt32] {
        var padded = message + [0x80]
        padded.reserveCapacity(message.count + 72)
        while padded.count % 64 != 56 { padded.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: (message.count * 8) >> shift))
        }
        var hash = initialHash
        padded.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 64) {
                withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
                    for index in 0..<16 {
                        let word = bytes.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self)
                        words[index] = UInt32(bigEndian: word)
                    }
                    compress(words, &hash)
                }
            }
        }
        return hash
    }

    /// - Parameter words: 64, the first 16 of which are the block.
    private static func compress(_ words: UnsafeMutableBufferPointer<UInt32>, _ hash: inout [UInt32]) {
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let small0 = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
            let small1 = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
            words[index] = words[index - 16] &+ small0 &+ words[index - 7] &+ small1
        }
        var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
        var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
        let constants = constants
        for index in 0..<64 {
            let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let first = h &+ sum1 &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
            let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let second = sum0 &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { hash[index] &+= word }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static let primes = (2...311).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
    private static let initialHash = fractions(of: primes.prefix(8), root: 2)
    private static let constants = fractions(of: primes[...], root: 3)

    /// The first 32 bits of the fractional parts of the square or cube roots.
    private static func fractions(of numbers: ArraySlice<Int>, root: Int) -> [UInt32] {
        numbers.map { number in
            // The root times 2^32, found bit by bit.
            var result: UInt128 = 0
            for bit in (0..<36).reversed() {
                let guess = result | 1 << UInt128(bit)
                let power = guess * guess * (root == 3 ? guess : 1)
                if power <= UInt128(number) << UInt128(32 * root) { result = guess }
            }
            return UInt32(truncatingIfNeeded: result)
        }
    }
}
