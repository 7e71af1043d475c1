/// An IPv4 or IPv6 address.
///
/// An IPv4 address inside IPv6, `::ffff:192.0.2.1`, equals the IPv4 address: sockets for both families report it so (RFC
/// 4291, section 2.5.5.2).
package struct IPAddress: Sendable, Hashable {
    /// The IPv6 form, in which an IPv4 address is mapped.
    package let bits: UInt128

    package init(ipv6 bits: UInt128) { self.bits = bits }

    package init(ipv4 bits: UInt32) { self.bits = Self.mapped | UInt128(bits) }

    /// Stands for the clients of Unix sockets, which have no address. No client of a network has this one.
    package static let unixSocket = IPAddress(ipv6: 0)

    private static let mapped: UInt128 = 0xFFFF << 32

    package var isIPv4: Bool { bits >> 32 == 0xFFFF }

    package var isLoopback: Bool { isIPv4 ? bits >> 24 & 0xFF == 127 : bits == 1 }

    /// The address that limits count as one client: an IPv4 address itself, and of an IPv6 address the network of 64
    /// bits, which a customer gets as a whole.
    package var client: IPAddress { isIPv4 ? self : network(64) }

    /// The network of the first `length` bits of the IPv6 form.
    package func network(_ length: Int) -> IPAddress {
        IPAddress(ipv6: length == 0 ? 0 : bits & ~0 << UInt128(128 - length))
    }

    /// Parses `192.0.2.1` or `2001:db8::1`, without brackets, port or zone; nil for any other text. A decimal number with a
    /// leading zero is refused, because some parsers take it for octal.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 45 else { return nil }
        if bytes.contains(ASCII.colon) {
            guard let bits = Self.ipv6(bytes[...]) else { return nil }
            self.init(ipv6: bits)
        } else {
            guard let bits = Self.ipv4(bytes[...]) else { return nil }
            self.init(ipv4: bits)
        }
    }

    private static func ipv4(_ text: ArraySlice<UInt8>) -> UInt32? {
        var (bits, number, digits, dots): (UInt32, UInt32, Int, Int) = (0, 0, 0, 0)
        for byte in text {
            if byte == ASCII.dot {
                guard digits > 0, dots < 3 else { return nil }
                (bits, number, digits, dots) = (bits << 8 | number, 0, 0, dots + 1)
            } else {
                guard ByteClass.digit.contains(byte), digits == 0 || number > 0 else { return nil }
                (number, digits) = (number * 10 + UInt32(byte - ASCII.zero), digits + 1)
                guard number <= 255 else { return nil }
            }
        }
        return digits > 0 && dots == 3 ? bits << 8 | number : nil
    }

    /// Parses the text form of RFC 4291, section 2.2.
    private static func ipv6(_ text: ArraySlice<UInt8>) -> UInt128? {
        guard let gap = gap(in: text) else { return groups(text).flatMap { $0.count == 8 ? joined($0) : nil } }
        let (before, after) = (text[..<gap], text[(gap + 2)...])
        // The end of an address may be written as IPv4; its start may not.
        guard !before.contains(ASCII.dot), self.gap(in: after) == nil, let head = before.isEmpty ? [] : groups(before),
            let tail = after.isEmpty ? [] : groups(after), head.count + tail.count <= 7
        else { return nil }
        return joined(head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    /// The position of `::`.
    private static func gap(in text: ArraySlice<UInt8>) -> Int? {
        text.indices.dropLast().first { text[$0] == ASCII.colon && text[$0 + 1] == ASCII.colon }
    }

    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        let parts = text.split(separator: ASCII.colon, omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(ASCII.dot) {
                guard let address = ipv4(part) else { return nil }
                groups += [UInt16(address >> 16), UInt16(truncatingIfNeeded: address)]
            } else {
                guard (1...4).contains(part.count) else { return nil }
                var group: UInt16 = 0
                for byte in part {
                    guard let digit = byte.hexadecimalValue else { return nil }
                    group = group << 4 | UInt16(digit)
                }
                groups.append(group)
            }
        }
        return groups
    }

    private static func joined(_ groups: [UInt16]) -> UInt128 { groups.reduce(0) { $0 << 16 | UInt128($1) } }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical text (RFC 5952), an IPv4 address as `192.0.2.1`.
    package var description: String {
        if isIPv4 {
            return Self.text(ofIPv4: UInt32(truncatingIfNeeded: bits))
        }
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)) }
        let zeros = Self.longestZeros(groups)
        func text(_ groups: some Sequence<UInt16>) -> String {
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard zeros.count > 1 else { return text(groups) }
        return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }

    private static func text(ofIPv4 bits: UInt32) -> String {
        String(unsafeUninitializedCapacity: 15) { text in
            var end = 0
            for shift in stride(from: 24, through: 0, by: -8) {
                let number = UInt8(truncatingIfNeeded: bits >> UInt32(shift))
                for unit: UInt8 in [100, 10, 1] where number >= unit || unit == 1 {
                    text[end] = ASCII.zero + number / unit % 10
                    end += 1
                }
                if shift > 0 {
                    text[end] = ASCII.dot
                    end += 1
                }
            }
            return end
        }
    }

    /// The first of the longest runs of zeros.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in groups.indices {
            if groups[index] != 0 {
                start = index + 1
            } else if index + 1 - start > longest.count {
                longest = start..<(index + 1)
            }
        }
        return longest
    }
}

/// The addresses of a network (CIDR, RFC 4632): `192.0.2.0/24`, `2001:db8::/32`, or one address; `unix` for the clients of Unix
/// sockets.
package struct AddressRange: Sendable, Hashable {
    private let network: IPAddress
    private let length: Int

    /// Nil for any other text, and for a network that has IPv4 and IPv6 addresses. The bits behind the prefix need not be
    /// zero.
    package init?(_ text: String) {
        if text == "unix" {
            (network, length) = (.unixSocket, 128)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        var length = 128
        if parts.count == 2 {
            let isShort = !parts[0].contains(":")
            guard parts[1].utf8.count <= 3, let number = DecimalNumber.parse(parts[1].utf8),
                number <= (isShort ? 32 : 128)
            else { return nil }
            length = isShort ? number + 96 : number
        }
        guard !address.isIPv4 || length >= 96 else { return nil }
        network = address.network(length)
        self.length = length
    }

    /// Whether the address is in this network. `::/0` contains no IPv4 address.
    package func contains(_ address: IPAddress) -> Bool {
        address.isIPv4 == network.isIPv4 && address.network(length) == network
    }
}
