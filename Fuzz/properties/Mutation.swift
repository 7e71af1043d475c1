extension RandomNumberGenerator {
    /// One of the seeds with a few changes: flipped bits, removed or duplicated pieces, pieces of other seeds,
    /// duplicated lines, huge numbers, a truncated end.
    package mutating func mutated(_ seeds: [[UInt8]]) -> [UInt8] {
        var bytes = seeds.randomElement(using: &self) ?? []
        for _ in 0..<Int.random(in: 1...3, using: &self) { mutate(&bytes, seeds) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8], _ seeds: [[UInt8]]) {
        guard let index = bytes.indices.randomElement(using: &self) else { return }
        let piece = index..<min(index + .random(in: 1...20, using: &self), bytes.count)
        switch Int.random(in: 0..<10, using: &self) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &self)
        case 1: bytes[index] = .random(in: 0...255, using: &self)
        case 2: bytes.insert(Self.special.randomElement(using: &self) ?? 0, at: index)
        case 3: bytes.removeSubrange(piece)
        case 4: bytes.insert(contentsOf: bytes[piece], at: index)
        case 5: bytes.removeSubrange(index...)
        case 6: splice(&bytes, at: index, seeds)
        case 7, 8: duplicateLine(of: &bytes, at: index)
        default: makeNumberHuge(in: &bytes, from: index)
        }
    }

    private static var special: [UInt8] {
        Array("\r\n\t\0 :;,%\"\\{}[]/~0-+.eE".utf8) + [0x7F, 0x80, 0xC0, 0xED, 0xFF]
    }

    /// Replaces the end by the end of another seed.
    private mutating func splice(_ bytes: inout [UInt8], at index: Int, _ seeds: [[UInt8]]) {
        let other = seeds.randomElement(using: &self) ?? []
        bytes.replaceSubrange(index..., with: other.suffix(.random(in: 0...other.count, using: &self)))
    }

    private func duplicateLine(of bytes: inout [UInt8], at index: Int) {
        let lineFeed = UInt8(ascii: "\n")
        let first = bytes[..<index].lastIndex(of: lineFeed).map { $0 + 1 } ?? 0
        let end = bytes[index...].firstIndex(of: lineFeed).map { $0 + 1 } ?? bytes.count
        bytes.insert(contentsOf: bytes[first..<end], at: end)
    }

    private mutating func makeNumberHuge(in bytes: inout [UInt8], from index: Int) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = bytes[index...].firstIndex(where: digits.contains) else { return }
        let end = bytes[first...].firstIndex { !digits.contains($0) } ?? bytes.count
        let huge = [
            "9223372036854775808", "18446744073709551616", "-1", "4294967296", "1e999", "00", "ffffffffffffffff",
        ]
        bytes.replaceSubrange(first..<end, with: (huge.randomElement(using: &self) ?? "").utf8)
    }
}
