import HTTP
import HTTPServer
import Sessions

/// Events as a chunk of a response (RFC 9112, section 7.1), and unframed for clients of HTTP/1.0.
extension EncodedEvent {
    /// A value of this length or more is not copied into its event.
    static let minSharedBytes = 16_384

    init(_ bytes: [UInt8]) {
        let (chunk, payload) = bytes.withUnsafeBytes(ChunkedCoding.framed)
        self.init(framed: chunk, payload: payload)
    }

    /// An event that shares the memory of `bytes` if they are many.
    package init(sharing bytes: [UInt8]) {
        if bytes.count < Self.minSharedBytes { self.init(bytes) } else { self.init([], shared: bytes, []) }
    }

    /// An event behind others, with the same memory for a value that shares its own.
    init(_ events: [UInt8], before event: EncodedEvent) {
        switch event.content {
        case .framed: self.init(events + event.plain)
        case .parts(let head, let value, let tail): self.init(events + head, shared: value, tail)
        }
    }

    /// The event without framing.
    package var plain: [UInt8] {
        switch content {
        case .framed(let chunk, let payload): Array(chunk[payload])
        case .parts(let head, let value, let tail): head + value + tail
        }
    }

    func send(to client: any RequestSource) {
        switch content {
        case .framed(let chunk, let payload): client.send(chunk: chunk, payload: payload)
        case .parts(let head, let value, let tail): client.send(parts: [head, value, tail])
        }
    }
}
