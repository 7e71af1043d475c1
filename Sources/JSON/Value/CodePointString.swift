/// A string that is compared by its bytes. Swift's `String` compares by canonical equivalence, JSON by code point.
struct CodePointString: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard text.utf8.count == bytes.count else { return false }
        return text.utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).hasSameBytes(as: bytes) }
            ?? text.utf8.elementsEqual(bytes)
    }
}

extension CodePointString: Hashable {
    static func == (left: CodePointString, right: CodePointString) -> Bool {
        guard left.text.utf8.count == right.text.utf8.count else { return false }
        return right.text.utf8.withContiguousStorageIfAvailable { left.matches(UnsafeRawBufferPointer($0)) }
            ?? left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil {
            Array(text.utf8).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Both buffers must have the same length.
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + 8 <= count {
            let left = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard left == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < count {
            guard self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}
