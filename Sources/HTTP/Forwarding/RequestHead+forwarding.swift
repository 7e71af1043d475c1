extension RequestHead {
    /// The bytes of the same request for another server, whose response the client gets.
    ///
    /// Fields about this connection or its client are left out. A field that the client names in Connection stays,
    /// unlike RFC 9110, section 7.6.1, says: a condition such as If-Match must not be lost on the way. HEAD becomes
    /// GET, so that the response has its body. A stream is asked for with HTTP/1.0: it then ends with its connection,
    /// and needs no chunks.
    ///
    /// - Parameters:
    ///   - body: the decoded body.
    ///   - isStream: whether the response may be a stream.
    ///   - added: fields for the other server, which come first; fields of the client with their names are left out.
    ///     They may take ``HTTPLimits/maxForwardingBytes`` with those that a client of HTTP/1.0 or a coded body need.
    ///   - hidesCredentials: whether the field Authorization is left out, because the other server needs none.
    package func forwarded(
        body: [UInt8], isStream: Bool, adding added: [Response.Field], hidesCredentials: Bool = false
    ) -> [UInt8] {
        // The lines of the client are not longer here, and the others are shorter than 128 bytes in total.
        let capacity = added.reduce(128 + fields.bytes.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
        var output: [UInt8] = []
        output.reserveCapacity(capacity + body.count)
        HeadWriter.append(upTo: capacity, to: &output) { head in
            fields.bytes.withUnsafeBytes { bytes in
                head.text(method == .head ? "GET" : method.description)
                head.literal(" ")
                head.bytes(UnsafeRawBufferPointer(rebasing: bytes[parts.whole]))
                head.literal(isStream ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n")
                // First, because they let the section be larger than that of the client.
                for field in added {
                    head.text(field.name)
                    head.literal(":")
                    head.text(field.value)
                    head.literal("\r\n")
                }
                for line in fields.lines where !isOfConnection(line.name, bytes) && !added.has(line.name, of: bytes) {
                    if hidesCredentials, bytes.hasText("authorization", in: line.name) { continue }
                    // Without a blank, because a client may have none.
                    head.bytes(UnsafeRawBufferPointer(rebasing: bytes[line.name]))
                    head.literal(":")
                    head.bytes(UnsafeRawBufferPointer(rebasing: bytes[line.value]))
                    head.literal("\r\n")
                }
            }
            // A client of HTTP/1.0 need not name one.
            if !isStream, !fields.contains("host") { head.literal("Host: node\r\n") }
            if !body.isEmpty {
                head.literal("Content-Length: ")
                head.decimal(body.count)
                head.literal("\r\n")
            }
            head.literal("\r\n")
        }
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

extension [Response.Field] {
    /// Whether there is a field of this name, ignoring case.
    fileprivate func has(_ name: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        contains { field in
            field.name.utf8.count == name.count
                && bytes[name].elementsEqual(field.name.utf8) { $0.lowercased == $1.lowercased }
        }
    }
}
