/// The record of a client, as it is stored with the session. The journal does not read its content.
package struct ClientRow: Sendable, Equatable {
    /// The length of a mark.
    package static let markLength = 8

    /// Tells it from others of the session: ``markLength`` characters of URL-safe base64.
    package let mark: String
    /// A JSON object.
    package let content: [UInt8]

    /// A record with what a client has sent in `content`.
    package init(mark: String, content: [UInt8]) {
        self.mark = mark
        self.content = content
    }
}

/// A change of the records of clients.
@usableFromInline
package struct ClientChange: Sendable, Equatable {
    /// The record that is new, or that replaces the one with its mark; nil for none.
    package var put: ClientRow?
    /// The marks of the records that are forgotten.
    package var dropped: [String]

    package init(put: ClientRow?, dropped: [String] = []) {
        self.put = put
        self.dropped = dropped
    }

    /// The approximate number of bytes to write.
    package var byteCount: Int { 64 + (put?.content.count ?? 0) + ClientRow.markLength * dropped.count }
}
