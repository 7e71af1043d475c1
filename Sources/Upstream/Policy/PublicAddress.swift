/// Tells addresses of the public Internet from those that only mean something inside a network: the special-purpose
/// registries of RFC 6890, and multicast.
package enum PublicAddress {
    private static let privateBlocks4: [(UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16),
        (0xac10_0000, 12), (0xc000_0000, 24), (0xc000_0200, 24), (0xc0a8_0000, 16), (0xc612_0000, 15),
        (0xc633_6400, 24), (0xcb00_7100, 24), (0xe000_0000, 4), (0xf000_0000, 4),
    ]

    /// - Parameter bytes: 4 of an IPv4 address or 16 of an IPv6 address, in network order.
    package static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: isPublic(number(bytes))
        case 16: isPublic6(bytes)
        default: false
        }
    }

    private static func isPublic(_ address: UInt32) -> Bool {
        !privateBlocks4.contains { block, bits in (address ^ block) >> (32 - bits) == 0 }
    }

    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
        // IPv4 inside: mapped (and the unspecified and the loopback address), translated, 6to4.
        if bytes[..<10].allSatisfy({ $0 == 0 }) { return isMapped(bytes) && isPublic(number(bytes[12...])) }
        if bytes.starts(with: [0, 0x64, 0xff, 0x9b]) { return isPublic(number(bytes[12...])) }
        if bytes.starts(with: [0x20, 0x02]) { return isPublic(number(bytes[2..<6])) }
        // Only 2000::/3 is given out; in it, documentation and Teredo.
        return bytes[0] & 0xe0 == 0x20 && !bytes.starts(with: [0x20, 0x01, 0x0d, 0xb8])
            && !bytes.starts(with: [0x20, 0x01, 0, 0])
    }

    private static func isMapped(_ bytes: [UInt8]) -> Bool {
        bytes[10] == 0xff && bytes[11] == 0xff
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
