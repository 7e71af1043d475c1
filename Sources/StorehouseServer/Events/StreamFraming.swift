/// How a node sends a stream to another node that shares events among its clients.
///
/// Each frame begins with a line of two numbers: the revision of its events, and its length. A frame with revision 0 belongs to
/// no commit. The line `*` ends the frames, and the other node passes on what follows as it is. To get this line, the other node
/// sends a line of two numbers: the revision that its client has, and how many shared events the client was sent.
package enum StreamFraming {
    /// The field that asks for such a stream, and that says in the response what it is.
    static let field = "Storehouse-Stream"
    static let star = Array("*\n".utf8)

    package static func line(_ first: Int, _ second: Int) -> [UInt8] { Array("\(first) \(second)\n".utf8) }
}

/// Reads lines and frames from pieces of any length.
package struct StreamFrameParser: Sendable {
    package enum Element {
        /// A line whose frame has a length. With ``init(readsFrames:)`` false, any line of numbers.
        case line(Int, Int)
        /// A part of a frame.
        case part(revision: Int, UnsafeRawBufferPointer, isLast: Bool)
        /// What comes behind the frames.
        case rest(UnsafeRawBufferPointer)
        /// It was not a node that sent this.
        case malformed
    }

    private enum State {
        case line
        case frame(revision: Int, remaining: Int)
        case rest
        case malformed
    }

    private static let maxDigits = 18

    private let readsFrames: Bool
    private var state = State.line
    /// The bytes of the line so far.
    private var line: [UInt8] = []

    /// - Parameter readsFrames: false for lines of numbers without frames.
    package init(readsFrames: Bool = true) { self.readsFrames = readsFrames }

    /// Removes the next element from the start of `bytes`; nil if there is none yet.
    package mutating func next(_ bytes: inout UnsafeRawBufferPointer) -> Element? {
        switch state {
        case .line: return nextLine(&bytes)
        case .malformed: return nil
        case .rest:
            guard !bytes.isEmpty else { return nil }
            defer { bytes = UnsafeRawBufferPointer(rebasing: bytes[bytes.endIndex...]) }
            return .rest(bytes)
        case .frame(let revision, let remaining):
            guard !bytes.isEmpty || remaining == 0 else { return nil }
            let count = min(remaining, bytes.count)
            let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
            let isLast = count == remaining
            state = isLast ? .line : .frame(revision: revision, remaining: remaining - count)
            return .part(revision: revision, part, isLast: isLast)
        }
    }

    private mutating func nextLine(_ bytes: inout UnsafeRawBufferPointer) -> Element? {
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        line += bytes[..<(end ?? bytes.endIndex)]
        guard let end else {
            bytes = UnsafeRawBufferPointer(rebasing: bytes[bytes.endIndex...])
            guard line.count > 2 * Self.maxDigits + 1 else { return nil }
            state = .malformed
            return .malformed
        }
        bytes = UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])
        defer { line.removeAll(keepingCapacity: true) }
        if readsFrames, line == [UInt8(ascii: "*")] {
            state = .rest
            return next(&bytes)
        }
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map(Self.number)
        guard parts.count == 2, let first = parts[0], let second = parts[1] else {
            state = .malformed
            return .malformed
        }
        guard readsFrames else { return .line(first, second) }
        state = .frame(revision: first, remaining: second)
        return .line(first, second)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard 1...maxDigits ~= digits.count, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
