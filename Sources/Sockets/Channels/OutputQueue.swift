package import Platform

/// Bytes that wait to be sent: arrays shared with their makers, and how far the first has been sent.
///
/// One array, by far the commonest case, needs no allocation.
package struct OutputQueue {
    /// How many arrays go into one system call at most.
    private static var most: Int { 32 }

    private var first: [UInt8] = []
    private var offset = 0
    private var others: [[UInt8]] = []
    /// Where `others` begins: what stands before is sent.
    private var next = 0
    /// How many bytes wait.
    package private(set) var byteCount = 0

    package init() {}

    package var isEmpty: Bool { byteCount == 0 }

    package mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if byteCount == 0 { first = bytes } else { others.append(bytes) }
        byteCount += bytes.count
    }

    /// Drops bytes from the front, because they are sent.
    package mutating func consume(_ count: Int) {
        var left = min(count, byteCount)
        byteCount -= left
        while left > 0 {
            let here = min(left, first.count - offset)
            left -= here
            offset += here
            if offset == first.count { advance() }
        }
    }

    package mutating func removeAll() {
        self = OutputQueue()
    }

    /// Lends what waits at the front, up to a bound, as parts that one system call can take.
    package func withParts<Result>(_ body: (UnsafeMutableBufferPointer<iovec>) -> Result) -> Result {
        let count = min(others.count - next, Self.most - 1) + 1
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { parts in
            first.withUnsafeBytes { bytes in
                parts[0] = Self.part(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(offset)))
                return fill(parts, from: 1, body)
            }
        }
    }

    /// Nests, so that each array is held where its address is used.
    private func fill<Result>(
        _ parts: UnsafeMutableBufferPointer<iovec>, from index: Int,
        _ body: (UnsafeMutableBufferPointer<iovec>) -> Result
    ) -> Result {
        guard index < parts.count else { return body(parts) }
        return others[next + index - 1].withUnsafeBytes { bytes in
            parts[index] = Self.part(bytes)
            return fill(parts, from: index + 1, body)
        }
    }

    private static func part(_ bytes: UnsafeRawBufferPointer) -> iovec {
        iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: numericCast(bytes.count))
    }

    /// Goes on to the next array, and gives back the room of those sent once that is half of it.
    private mutating func advance() {
        offset = 0
        guard next < others.count else {
            first = []
            others = []
            next = 0
            return
        }
        swap(&first, &others[next])
        others[next] = []
        next += 1
        if next * 2 > others.count, next >= 16 || next == others.count {
            others.removeFirst(next)
            next = 0
        }
    }
}
