/// Writes compact JSON into a buffer that it owns.
///
/// Commas and colons come by themselves; what the caller must see to is that each member has one value, and that there
/// is one value on top. The output is deterministic: members stand in the order they were written, escapes are the
/// fewest that RFC 8259 allows, numbers the shortest that read back the same.
public struct JSONWriter: ~Copyable {
    /// Owned here and grown by doubling. An array in its place would ask at every write whether it is shared, and make
    /// writing a state take twice as long.
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var used = 0
    @usableFromInline var needsComma = false

    /// A writer without text.
    ///
    /// - Parameter capacity: how many bytes to make room for at first.
    @inlinable
    public init(reservingCapacity capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        start = .allocate(capacity: self.capacity)
    }

    @inlinable
    deinit {
        start.deallocate()
    }

    /// How many bytes have been written.
    @inlinable
    public var count: Int { used }

    /// What has been written so far, as a copy that is no larger than it must be.
    @inlinable
    public var bytes: [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: used))
    }

    /// Lends what has been written so far.
    @inlinable
    public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        body(UnsafeBufferPointer(start: start, count: used))
    }

    /// Forgets what has been written, and keeps the room for it.
    @inlinable
    public mutating func clear() {
        used = 0
        needsComma = false
    }

    /// What has been written. The writer is used up and its buffer freed.
    @inlinable
    public consuming func finish() -> [UInt8] {
        bytes
    }

    /// Writes an object; the closure writes its members.
    @inlinable
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(Byte.openBrace)
        members(&self)
        close(Byte.closeBrace)
    }

    /// Begins an object; its members and ``endObject()`` must follow.
    package mutating func beginObject() { open(Byte.openBrace) }

    /// Ends the object that was begun last.
    package mutating func endObject() { close(Byte.closeBrace) }

    /// Writes an array; the closure writes its elements.
    @inlinable
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open(Byte.openBracket)
        elements(&self)
        close(Byte.closeBracket)
    }

    /// Writes any value that can write itself.
    @inlinable
    public mutating func value(_ value: some JSONEncodable) {
        value.encode(into: &self)
    }

    /// Writes bytes that are one JSON value already. They are not checked.
    @inlinable
    public mutating func raw(_ json: some Collection<UInt8>) {
        let length = json.count
        append(atMost: length) { target in
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
        append(atMost: 1, startsList: true) { target in
            target.pointee = bracket
            return 1
        }
    }

    @inlinable @inline(__always)
    mutating func close(_ bracket: UInt8) {
        needsComma = false
        append(atMost: 1) { target in
            target.pointee = bracket
            return 1
        }
    }

    /// Makes room, writes the comma that is due, and lets `write` put up to `length` bytes behind it.
    /// - Parameter startsList: true where no comma may follow.
    @inlinable @inline(__always)
    mutating func append(
        atMost length: Int, startsList: Bool = false, _ write: (UnsafeMutablePointer<UInt8>) -> Int
    ) {
        if capacity - used <= length {
            grow(by: length)
        }
        // Where no comma is due, what comes next overwrites it.
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
    public mutating func null() {
        literal("null")
    }

    /// Writes `true` or `false`.
    @inlinable @inline(__always)
    public mutating func bool(_ value: Bool) {
        if value {
            literal("true")
        } else {
            literal("false")
        }
    }

    /// Writes a whole number.
    @inlinable
    public mutating func integer(_ value: Int) {
        append(atMost: 20) { target in
            if value >= 0, value < 10 {
                target.pointee = Byte.zero &+ UInt8(truncatingIfNeeded: value)
                return 1
            }
            return Self.writeDigits(of: value, to: target)
        }
    }

    /// Writes the shortest number that reads back as the same `Double`; `null` for infinities and NaN.
    @inlinable
    public mutating func double(_ value: Double) {
        if value.isFinite {
            raw(value.description.utf8)
        } else {
            null()
        }
    }

    @inlinable @inline(__always)
    mutating func literal(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        append(atMost: length) { target in
            Self.copy(text.utf8Start, to: target, count: length)
            return length
        }
    }

    /// Writes the digits, 20 bytes at most, and answers how many bytes they are.
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
