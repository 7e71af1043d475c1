/// Writes compact JSON into a buffer that it owns.
///
/// Commas and colons come by themselves; what the caller must see to is that each member has one value, and that there
/// is one value on top. The output is deterministic: members stand in the order they were written, escapes are the
/// fewest that RFC 8259 allows, numbers the shortest that read back the same.
public struct JSONWriter: Sendable {
    /// Filled up to `count`; what follows is room for more. An array that is always as long as its room makes a write
    /// one comparison and a store, where appending costs several calls.
    @usableFromInline var storage: [UInt8]
    /// How many bytes have been written.
    @usableFromInline var used = 0
    @usableFromInline var needsComma = false

    /// - Parameter capacity: how many bytes to make room for at first.
    @inlinable
    public init(reservingCapacity capacity: Int = 256) {
        storage = Array(repeating: 0, count: max(capacity, 16))
    }

    /// How many bytes have been written.
    @inlinable
    public var count: Int { used }

    /// What has been written so far, as a copy.
    @inlinable
    public var bytes: [UInt8] {
        Array(storage[..<used])
    }

    /// What has been written, without a copy.
    @inlinable
    public consuming func finish() -> [UInt8] {
        storage.removeLast(storage.count - used)
        return storage
    }

    @inlinable
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(Byte.openBrace)
        members(&self)
        close(Byte.closeBrace)
    }

    @inlinable
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open(Byte.openBracket)
        elements(&self)
        close(Byte.closeBracket)
    }

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
        if storage.count - used <= length {
            grow(by: length)
        }
        let (start, separator) = (used, needsComma ? 1 : 0)
        used = storage.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return start }
            let target = base + start
            // Where no comma is due, what comes next overwrites it.
            target.pointee = Byte.comma
            return start + separator + write(target + separator)
        }
        needsComma = !startsList
    }

    @usableFromInline @inline(never)
    mutating func grow(by length: Int) {
        var larger = [UInt8](repeating: 0, count: max(storage.count * 2, used + length + 1))
        larger.replaceSubrange(..<used, with: storage[..<used])
        storage = larger
    }
}
