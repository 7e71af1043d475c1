/// Writes compact JSON into its own buffer.
///
/// The writer inserts commas and colons. The caller must write exactly one value for each member, and one value at the
/// top. The output is deterministic: members keep the order of the calls, only the characters that RFC 8259 requires
/// are escaped, and a `Double` is written as the shortest number that parses to the same value.
public struct JSONWriter: ~Copyable {
    /// Allocated here and grown by doubling. An array would check at every write whether it is uniquely referenced,
    /// which doubles the time to write a state.
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var used = 0
    @usableFromInline var needsComma = false
    /// The first error of a value's `encode(to:)`, as a predicate; nil if there was none. It does not quote the value.
    @usableFromInline
    package var failure: String?

    /// A writer with an empty buffer.
    ///
    /// - Parameter capacity: the initial size of the buffer in bytes.
    @inlinable
    package init(reservingCapacity capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        start = .allocate(capacity: self.capacity)
    }

    @inlinable
    deinit {
        start.deallocate()
    }

    /// How many bytes have been written.
    @inlinable
    package var count: Int { used }

    /// A copy of the text written so far, without spare capacity.
    @inlinable
    package var bytes: [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: used))
    }

    /// Calls `body` with the text written so far.
    @inlinable
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        body(UnsafeBufferPointer(start: start, count: used))
    }

    /// Removes the text and keeps the buffer.
    @inlinable
    package mutating func clear() {
        used = 0
        needsComma = false
    }

    /// Where the next value or name begins, behind a comma if one is due.
    package var nextStart: Int { used + (needsComma ? 1 : 0) }

    /// Removes the text from `end` on, where a name or value began.
    @inlinable
    package mutating func truncate(to end: Int) { truncate(to: end, isBehindValue: false) }

    /// - Parameter isBehindValue: whether a comma must follow as if the value were there.
    @inlinable
    package mutating func truncate(to end: Int, isBehindValue: Bool) {
        used = end
        needsComma = isBehindValue
    }

    /// Writes a comma if one is due.
    package mutating func separate() { append(upTo: 0, startsList: true) { _ in 0 } }

    /// Returns the text, and frees the buffer.
    @inlinable
    package consuming func finish() -> [UInt8] {
        bytes
    }

    /// Returns the text with a newline at its end, and frees the buffer.
    ///
    /// A terminal shows its prompt below the text then. A newline after a JSON text is insignificant (RFC 8259, section 2).
    @inlinable
    package consuming func finishLine() -> [UInt8] {
        needsComma = false
        append(upTo: 1) { target in
            target.pointee = Byte.lineFeed
            return 1
        }
        return bytes
    }

    /// Writes an object; the closure writes its members.
    @inlinable
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(Byte.openBrace)
        members(&self)
        close(Byte.closeBrace)
    }

    /// Begins an object. Its members and ``endObject()`` must follow.
    @inlinable
    package mutating func beginObject() { open(Byte.openBrace) }

    /// Ends the innermost open object.
    @inlinable
    package mutating func endObject() { close(Byte.closeBrace) }

    /// Writes an array; the closure writes its elements.
    @inlinable
    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open(Byte.openBracket)
        elements(&self)
        close(Byte.closeBracket)
    }

    /// Writes a value.
    @inlinable
    package mutating func value(_ value: some JSONEncodable) {
        value.encode(into: &self)
    }

    /// Writes one encoded JSON value. It is not validated.
    @inlinable
    package mutating func raw(_ json: some Collection<UInt8>) {
        let length = json.count
        append(upTo: length) { target in
            let isCopied: Void? = json.withContiguousStorageIfAvailable { source in
                guard let start = source.baseAddress else { return }
                target.update(from: start, count: length)
            }
            if isCopied == nil {
                for (offset, byte) in json.enumerated() {
                    target[offset] = byte
                }
            }
            return length
        }
    }
}

extension JSONWriter {
    @inlinable @inline(__always)
    mutating func open(_ bracket: UInt8) {
        append(upTo: 1, startsList: true) { target in
            target.pointee = bracket
            return 1
        }
    }

    @inlinable @inline(__always)
    mutating func close(_ bracket: UInt8) {
        needsComma = false
        append(upTo: 1) { target in
            target.pointee = bracket
            return 1
        }
    }

    /// Reserves capacity, writes a comma if one is due, and lets `write` append up to `length` bytes.
    /// - Parameter startsList: true if no comma may follow.
    @inlinable @inline(__always)
    mutating func append(
        upTo length: Int, startsList: Bool = false, _ write: (UnsafeMutablePointer<UInt8>) -> Int
    ) {
        if capacity - used <= length {
            grow(by: length)
        }
        // Written without a branch: if no comma is due, the next byte overwrites it.
        start[used] = Byte.comma
        used += needsComma ? 1 : 0
        used += write(start + used)
        needsComma = !startsList
    }

    @usableFromInline @inline(never)
    mutating func grow(by length: Int) {
        let larger = max(capacity * 2, used + length + 1)
        let target = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        target.update(from: start, count: used)
        start.deallocate()
        (start, capacity) = (target, larger)
    }
}

extension JSONWriter {
    /// Writes `null`.
    @inlinable @inline(__always)
    package mutating func null() {
        literal("null")
    }

    /// Writes `true` or `false`.
    @inlinable @inline(__always)
    package mutating func bool(_ value: Bool) {
        if value {
            literal("true")
        } else {
            literal("false")
        }
    }

    /// Writes a whole number.
    @inlinable
    package mutating func integer(_ value: Int) {
        append(upTo: 20) { target in
            if value >= 0, value < 10 {
                target.pointee = Byte.zero &+ UInt8(truncatingIfNeeded: value)
                return 1
            }
            return Self.writeDigits(of: value, to: target)
        }
    }

    /// Writes the shortest number that parses to the same `Double`; `null` for infinities and NaN.
    @inlinable
    package mutating func double(_ value: Double) {
        if value.isFinite {
            raw(value.description.utf8)
        } else {
            null()
        }
    }

    @inlinable @inline(__always)
    mutating func literal(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        append(upTo: length) { target in
            Self.copy(text.utf8Start, to: target, count: length)
            return length
        }
    }

    /// Writes the digits, 20 bytes at most, and returns their number.
    @usableFromInline
    static func writeDigits(of value: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
        target.pointee = Byte.minus
        let sign = value < 0 ? 1 : 0
        var (digits, rest) = (1, value.magnitude)
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        rest = value.magnitude
        for offset in stride(from: sign + digits - 1, through: sign, by: -1) {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            target[offset] = Byte.zero &+ UInt8(truncatingIfNeeded: digit)
            rest = quotient
        }
        return sign + digits
    }
}
