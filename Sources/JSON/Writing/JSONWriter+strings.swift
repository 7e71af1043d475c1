extension JSONWriter {
    /// Writes a string. Only quotes, backslashes and control characters are escaped.
    @inlinable
    package mutating func string(_ text: String) {
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { string(utf8: $0) }
        if isWritten == nil { copiedString(text) }
    }

    /// Writes a string without contiguous storage. Not a part of the caller, which would retain every string for it.
    @usableFromInline @inline(never)
    mutating func copiedString(_ text: String) {
        Array(text.utf8).withUnsafeBufferPointer { string(utf8: $0) }
    }

    /// - Parameter text: must be valid UTF-8.
    @inlinable @inline(__always)
    mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        var plain = 0
        append(upTo: text.count + 2) { target in
            target.pointee = Byte.quote
            plain = Self.copyPlain(text, to: target + 1)
            target[plain + 1] = Byte.quote
            return plain + 2
        }
        if plain < text.count {
            used -= 1
            appendEscaping(UnsafeBufferPointer(rebasing: text[plain...]))
        }
    }

    /// Copies bytes up to the first that must be escaped; returns their number.
    @inlinable @inline(__always)
    static func copyPlain(_ text: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) -> Int {
        guard let source = text.baseAddress else { return 0 }
        var offset = 0
        while offset + 8 <= text.count {
            let word = UnsafeRawPointer(source + offset).loadUnaligned(as: UInt64.self)
            guard ByteWord.specials(in: word) == 0 else { break }
            UnsafeMutableRawPointer(target + offset).storeBytes(of: word, as: UInt64.self)
            offset += 8
        }
        while offset < text.count, !Byte.needsEscape(source[offset]) {
            target[offset] = source[offset]
            offset += 1
        }
        return offset
    }

    /// Writes the rest of a string and the closing quote.
    @usableFromInline @inline(never)
    mutating func appendEscaping(_ text: UnsafeBufferPointer<UInt8>) {
        needsComma = false
        append(upTo: text.reduce(1) { $0 + Self.escapedLength(of: $1) }) { target in
            var end = 0
            for byte in text {
                end += Self.writeEscaped(byte, to: target + end)
            }
            target[end] = Byte.quote
            return end + 1
        }
    }

    /// How many bytes this byte of a string takes when encoded.
    static func escapedLength(of byte: UInt8) -> Int {
        guard Byte.needsEscape(byte) else { return 1 }
        return shortEscape(of: byte) == nil ? 6 : 2
    }

    /// Writes one byte of a string, escaped if necessary; returns the number of bytes written.
    private static func writeEscaped(_ byte: UInt8, to target: UnsafeMutablePointer<UInt8>) -> Int {
        guard Byte.needsEscape(byte) else {
            target.pointee = byte
            return 1
        }
        target[0] = Byte.backslash
        guard let letter = shortEscape(of: byte) else {
            target[1] = Byte.lowerU
            target[2] = Byte.zero
            target[3] = Byte.zero
            target[4] = Byte.zero + byte >> 4
            target[5] = hexadecimalDigit(byte & 0xF)
            return 6
        }
        target[1] = letter
        return 2
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? Byte.zero + value : UInt8(ascii: "a") + value - 10
    }

    private static func shortEscape(of byte: UInt8) -> UInt8? {
        switch byte {
        case Byte.quote, Byte.backslash: byte
        case 0x08: UInt8(ascii: "b")
        case 0x0C: UInt8(ascii: "f")
        case Byte.lineFeed: UInt8(ascii: "n")
        case Byte.carriageReturn: UInt8(ascii: "r")
        case Byte.tab: UInt8(ascii: "t")
        default: nil
        }
    }
}
