/// Reads parameters from the first bytes of an input.
struct Input {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// The next byte; 0 at the end.
    mutating func byte() -> UInt8 {
        rest.popFirst() ?? 0
    }

    /// The bytes up to the next NUL, which is skipped, or up to the end.
    mutating func part() -> [UInt8] {
        let part = Array(rest.prefix { $0 != 0 })
        rest = rest.dropFirst(part.count + 1)
        return part
    }
}

/// Splits bytes into pieces, as a network may deliver them.
struct Cuts: Sequence {
    let bytes: [UInt8]
    /// Determines the lengths of the pieces: 0 delivers single bytes.
    let seed: UInt8

    func makeIterator() -> AnyIterator<ArraySlice<UInt8>> {
        var rest = bytes[...]
        var state = UInt32(seed)
        return AnyIterator {
            guard !rest.isEmpty else { return nil }
            state = state &* 1_664_525 &+ UInt32(seed) &* 1_013_904_223
            let piece = rest.prefix(1 + Int(state >> 24) % (1 + Int(seed)))
            rest = rest.dropFirst(piece.count)
            return piece
        }
    }
}
