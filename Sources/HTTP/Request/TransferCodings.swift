/// The transfer codings that a request names, in all its Transfer-Encoding lines together (RFC 9112, section 6.1).
struct TransferCodings: Sendable {
    private var chunked = 0
    private var others = 0
    private var endsChunked = false

    mutating func add(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) {
        for coding in ListElements(bytes, in: value) {
            endsChunked = bytes.hasText("chunked", in: coding)
            if endsChunked { chunked += 1 } else { others += 1 }
        }
    }

    /// Refuses all but one `chunked`: 400 where it is not the one final coding, so that the body's end is unknown
    /// (RFC 9112, section 6.3); 501 where other codings come before it.
    func check() throws(RequestFailure) {
        guard endsChunked, chunked == 1 else {
            throw .malformed("The final transfer coding of a request must be chunked, once.")
        }
        guard others == 0 else {
            throw RequestFailure(.notImplemented, "The only transfer coding known here is chunked.")
        }
    }
}
