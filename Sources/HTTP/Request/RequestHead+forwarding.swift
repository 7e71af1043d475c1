extension RequestHead {
    /// The bytes of the same request for another server, whose response the client gets.
    ///
    /// What is about this connection or its client is left out. A field that the client names in Connection stays, unlike RFC 9110,
    /// section 7.6.1, says: a condition such as If-Match must not be lost on the way. HEAD becomes GET, so that the response has its
    /// body. A stream is asked for with HTTP/1.0: it then ends with its connection, and needs no chunks.
    ///
    /// - Parameters:
    ///   - body: the decoded body.
    ///   - isStream: whether the response may be a stream.
    ///   - added: fields for the other server, which come first; those of the same names are left out. They may take
    ///     ``HTTPLimits/maxForwardingBytes`` with those that a client of HTTP/1.0 or a coded body need.
    package func forwarded(body: [UInt8], isStream: Bool, adding added: [Response.Field]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(fields.bytes.count + body.count + 512)
        output.appendText(method == .head ? "GET" : method.description)
        output.append(ASCII.space)
        output.appendText(target)
        output.appendText(isStream ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n")
        // First, because they let the section be larger than that of the client.
        for field in added {
            output.appendText(field.name)
            output.append(ASCII.colon)
            output.appendText(field.value)
            output.appendText("\r\n")
        }
        fields.bytes.withUnsafeBytes { bytes in
            for line in fields.lines where !isOfConnection(line.name, bytes) {
                if added.contains(where: { bytes[line.name].elementsEqual($0.name.utf8, by: areEqualIgnoringCase) }) {
                    continue
                }
                // Without a blank, because a client may have none.
                output.append(contentsOf: bytes[line.name])
                output.append(ASCII.colon)
                output.append(contentsOf: bytes[line.value])
                output.appendText("\r\n")
            }
        }
        // A client of HTTP/1.0 need not name one.
        if !isStream, !fields.contains("host") { output.appendText("Host: node\r\n") }
        if !body.isEmpty {
            output.appendText("Content-Length: ")
            output.appendDecimal(body.count)
            output.appendText("\r\n")
        }
        output.appendText("\r\n")
        output.append(contentsOf: body)
        return output
    }

    private func isOfConnection(_ name: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Bool {
        Self.namesOfConnection.contains { bytes.hasText($0, in: name) }
    }

    private static let namesOfConnection: [StaticString] = [
        "connection", "content-length", "expect", "forwarded", "keep-alive", "proxy-authorization",
        "proxy-connection", "storehouse-stream", "te", "trailer", "transfer-encoding", "upgrade", "x-forwarded-for",
        "x-forwarded-host", "x-forwarded-proto",
    ]
}

private func areEqualIgnoringCase(_ one: UInt8, _ other: UInt8) -> Bool { one.lowercased == other.lowercased }
