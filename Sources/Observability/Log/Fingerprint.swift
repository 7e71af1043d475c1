/// A short name for a text that must not be in the log, such as the id of a session: the first 8 hexadecimal digits of its
/// SHA-256 (FIPS 180-4). Nobody can guess the text from it, and an operator who knows the text finds its lines with
/// `printf %s TEXT | sha256sum`.
package enum Fingerprint {
    package static func of(_ text: String) -> String {
        let digits = String(sha256(Array(text.utf8))[0], radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The hash as eight words. It serves the log only, so it is short and not fast.
    private static func sha256(_ message: [UInt8]) -> [UInt32] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        padded += (0..<8).map { UInt8(truncatingIfNeeded: (message.count * 8) >> (56 - 8 * $0)) }
        var hash = fractions(of: primes.prefix(8), root: 2)
        for start in stride(from: 0, to: padded.count, by: 64) {
            let block = stride(from: start, to: start + 64, by: 4).map { index in
                padded[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            hash = zip(hash, compress(block, hash)).map { $0 &+ $1 }
        }
        return hash
    }

    private static func compress(_ block: [UInt32], _ hash: [UInt32]) -> [UInt32] {
        var words = block
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let small0 = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
            let small1 = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ small0 &+ words[index - 7] &+ small1)
        }
        var v = hash
        for (word, constant) in zip(words, constants) {
            let sum1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)
            let choice = v[4] & v[5] ^ ~v[4] & v[6]
            let first = v[7] &+ sum1 &+ choice &+ constant &+ word
            let sum0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)
            let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]
            v = [first &+ sum0 &+ majority, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
        }
        return v
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static let primes = (2...311).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
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
