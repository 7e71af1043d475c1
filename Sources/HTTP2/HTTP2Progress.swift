/// How far the body of a response has become frames.
package struct HTTP2Progress: Sendable {
    /// The rest of a body, behind the bytes of a frame.
    package enum Rest: Sendable, Hashable {
        /// There are more bytes now.
        case more
        /// The next bytes are offered when they are there.
        case later
        case end
    }

    private enum State: UInt8 {
        /// No bytes are there.
        case idle
        /// The bytes that are there, and those that are added to them, are asked for one frame after another.
        case offered
        /// The end has become a frame.
        case over
        /// The rest is not wanted.
        case cut
    }

    private var state = State.idle
    private var hasEnd = false

    package init() {}

    /// Whether the end has become a frame.
    package var isOver: Bool { state == .over }

    /// - Returns: whether the bytes, or the end, are to be offered now.
    package mutating func offers(hasBytes: Bool) -> Bool {
        guard state == .idle, hasBytes || hasEnd else { return false }
        state = .offered
        return true
    }

    /// A frame was filled.
    ///
    /// - Parameter hasMore: whether bytes are left.
    package mutating func taken(hasMore: Bool) -> Rest {
        guard state == .offered else { return .later }
        if hasMore { return .more }
        state = hasEnd ? .over : .idle
        return hasEnd ? .end : .later
    }

    /// No bytes follow those that are there.
    package mutating func end() { hasEnd = true }

    /// The response has no body, and its head is its end.
    package mutating func endWithHead() { state = .over }

    /// The rest is not wanted.
    package mutating func cut() { if state != .over { state = .cut } }
}
