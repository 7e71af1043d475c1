/// The bytes of an event, made once for all streams that get it. An ``EventCodec`` makes them; a session only passes them on.
// Public, like the others that a subscriber overrides something with: only open classes can be overridden in another target.
public struct EncodedEvent: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// As the transport frames it. The payload is the event without framing.
        case framed([UInt8], payload: Range<Int>)
        /// Without framing. The value shares its memory with others.
        case parts(head: [UInt8], value: [UInt8], tail: [UInt8])
    }

    package let content: Content
    /// The length of the event without framing.
    package let count: Int

    package init(framed bytes: [UInt8], payload: Range<Int>) {
        content = .framed(bytes, payload: payload)
        count = payload.count
    }

    /// An event whose value shares the memory of `value`.
    package init(_ head: [UInt8], shared value: [UInt8], _ tail: [UInt8]) {
        content = .parts(head: head, value: value, tail: tail)
        count = head.count + value.count + tail.count
    }

    /// No bytes.
    package static let none = EncodedEvent(framed: [], payload: 0..<0)
}

/// News of presence, encoded once for all subscribers of one codec. Each takes one of the two events, or none.
public struct EncodedPresence: Sendable {
    package let number: Int32
    package let whole: EncodedEvent?
    package let change: EncodedEvent?
}
