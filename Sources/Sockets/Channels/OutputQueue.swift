package import Platform

/// Bytes to be sent, as arrays that are shared with their writers.
///
/// A single array, by far the most common case, needs no allocation.
package struct OutputQueue {
    /// The limit of arrays in one system call.
    private static var maxParts: Int { 32 }

    private var first: [UInt8] = []
    private var offset = 0
    private var others: [[UInt8]] = []
    /// The index of the first array of `others` that is not sent.
    private var next = 0
    /// The number of bytes in the queue.
    package private(set) var byteCount = 0

    package init() {}

    package var isEmpty: Bool { byteCount == 0 }

    package mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if byteCount == 0 { first = bytes } else { others.append(bytes) }
        byteCount += bytes.count
    }

    /// Removes bytes from the front after they were sent.
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

    /// Calls `body` with the first arrays, as many as one system call takes.
    package func withParts<Result>(_ body: (UnsafeMutableBufferPointer<iovec>) -> Result) -> Result {
        let count = min(others.count - next, Self.maxParts - 1) + 1
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { parts in
            first.withUnsafeBytes { bytes in
                parts[0] = Self.part(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(offset)))
                return fill(parts, from: 1, body)
            }
        }
    }

    /// Recursive, so that each array's pointer stays valid while it is used.
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

    /// Moves on to the next array, and frees sent entries once they are half of the list.
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
