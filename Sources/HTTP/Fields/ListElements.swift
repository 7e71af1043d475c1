/// The elements of a comma-separated value (RFC 9110, section 5.6.1) without the white space around them. Empty
/// elements are passed over, as the RFC wants. For lists of tokens only: it does not know quoted strings.
struct ListElements: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var index: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
        self.bytes = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> Range<Int>? {
        while index < end {
            var start = index
            while index < end, bytes[index] != ASCII.comma { index += 1 }
            var stop = index
            if index < end { index += 1 }
            while start < stop, bytes[start].isBlank { start += 1 }
            while stop > start, bytes[stop - 1].isBlank { stop -= 1 }
            if start < stop { return start..<stop }
        }
        return nil
    }
}
