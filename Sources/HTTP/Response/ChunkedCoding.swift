/// The chunked coding of what is sent (RFC 9112, section 7.1). The same chunk fits every 1.1 client, so an event that
/// goes to many is framed once.
package enum ChunkedCoding {
    /// The last chunk and an empty trailer section.
    package static let end: [UInt8] = Array("0\r\n\r\n".utf8)

    /// Appends one chunk. No bytes make no chunk: an empty one would end the body.
    package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output.appendHexadecimal(bytes.count)
        output.appendText("\r\n")
        output.append(contentsOf: bytes)
        output.appendText("\r\n")
    }
}
