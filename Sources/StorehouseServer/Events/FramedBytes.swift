import HTTP

/// Bytes of a stream in each of the framings that a connection may need.
struct FramedBytes: Sendable {
    /// As they are, for a client of HTTP/1.0.
    private let plain: [UInt8]
    private let chunk: [UInt8]

    init(_ bytes: [UInt8]) {
        plain = bytes
        var chunk: [UInt8] = []
        chunk.reserveCapacity(bytes.count + 16)
        ChunkedCoding.append(bytes, to: &chunk)
        self.chunk = chunk
    }

    func framed(asChunk isChunk: Bool) -> [UInt8] { isChunk ? chunk : plain }
}
