/// A server-sent event (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Sendable, Hashable {
    /// The event's type; nil means `message`. Line breaks are removed.
    package var event: String?
    /// The id, which a client sends back as Last-Event-ID. Line breaks and NUL are removed.
    package var id: String?
    /// The data, one `data:` line for each of its lines. Without data, clients dispatch no event.
    package var data: [UInt8]?
    /// The reconnection time in milliseconds.
    package var retry: Int?
    /// A comment, which clients ignore.
    package var comment: String?

    package init(
        event: String? = nil, id: String? = nil, data: [UInt8]? = nil, retry: Int? = nil, comment: String? = nil
    ) {
        self.event = event
        self.id = id
        self.data = data
        self.retry = retry
        self.comment = comment
    }

    /// The event and the empty line that ends its block.
    package var bytes: [UInt8] {
        var output = lines
        output.append(ASCII.lineFeed)
        return output
    }

    /// The lines of the event, without the empty line that ends its block.
    package var lines: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity((data?.count ?? 0) + 64)
        if let comment { Self.appendLines(Array(comment.utf8), prefix: ": ", to: &output) }
        if let retry, retry >= 0 {
            output.appendText("retry: ")
            output.appendDecimal(retry)
            output.append(ASCII.lineFeed)
        }
        if let event { Self.appendLine("event: ", event, to: &output) }
        if let id { Self.appendLine("id: ", id, to: &output) }
        if let data { Self.appendLines(data, prefix: "data: ", to: &output) }
        return output
    }

    private static func appendLine(_ prefix: StaticString, _ text: String, to output: inout [UInt8]) {
        output.appendText(prefix)
        output.append(
            contentsOf: text.utf8.lazy.filter {
                $0 != ASCII.lineFeed && $0 != ASCII.carriageReturn && $0 != ASCII.null
            })
        output.append(ASCII.lineFeed)
    }

    /// Splits lines at CR, LF and CR LF, as the client's parser does.
    private static func appendLines(_ bytes: [UInt8], prefix: StaticString, to output: inout [UInt8]) {
        var rest = bytes[...]
        while let end = rest.firstIndex(where: { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }) {
            output.appendText(prefix)
            output.append(contentsOf: rest[..<end])
            output.append(ASCII.lineFeed)
            let isPair = rest[end] == ASCII.carriageReturn && rest[end...].dropFirst().first == ASCII.lineFeed
            rest = rest[(end + (isPair ? 2 : 1))...]
        }
        output.appendText(prefix)
        output.append(contentsOf: rest)
        output.append(ASCII.lineFeed)
    }
}
