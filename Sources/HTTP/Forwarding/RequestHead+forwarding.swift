// A request as it travels to another server, whose response the client gets.
extension RequestHead {
    /// The head for another server, without what is about this connection or its client.
    ///
    /// A field that the client names in Connection stays, unlike RFC 9110, section 7.6.1, says: a condition such as If-Match must
    /// not be lost on the way. HEAD becomes GET, so that the response has its body.
    ///
    /// - Parameters:
    ///   - start: what the head comes behind.
    ///   - hidesCredentials: whether the field Authorization is left out, because the other server needs none.
    ///   - asksForActor: whether the response is to name the sender for the log; see ``Response/takeActor()``.
    package func forwarded(
        behind start: [UInt8] = [], hidesCredentials: Bool = false, asksForActor: Bool = false
    ) -> [UInt8] {
        var message = MessageWriter(start, reservingCapacity: 32 + fields.bytes.count)
        message.add(method == .head ? "GET" : method.description)
        fields.bytes.withUnsafeBytes { bytes in
            message.add(UnsafeRawBufferPointer(rebasing: bytes[parts.whole]))
            for line in fields.lines where !Self.isOfConnection(line.name, bytes) {
                if hidesCredentials, bytes.hasText("authorization", in: line.name) { continue }
                message.add(UnsafeRawBufferPointer(rebasing: bytes[line.name]))
                message.add(UnsafeRawBufferPointer(rebasing: bytes[line.value]))
            }
        }
        if asksForActor {
            message.add(Response.actorField)
            message.add("?")
        }
        return message.bytes
    }

    /// The head that another server has made of a request; nil if it is none.
    package convenience init?(forwarded bytes: UnsafeRawBufferPointer) {
        var message = MessageReader(bytes)
        do {
            let method = HTTPMethod(message.string(try message.name()))
            let target = try message.text()
            guard !target.isEmpty else { return nil }
            var lines: [FieldLine] = []
            lines.reserveCapacity(12)
            while !message.isAtEnd { lines.append(FieldLine(name: try message.name(), value: try message.value())) }
            self.init(
                method: method, version: .http11, target: try RequestTarget(bytes, target, method: method),
                framing: MessageFraming(), fields: HTTPFields(bytes: [UInt8](bytes), lines: lines))
        } catch {
            return nil
        }
    }

    /// Whether the server that has forwarded it asks for the name of the sender.
    package var asksForActor: Bool { fields.contains("storehouse-actor") }

    private static func isOfConnection(_ name: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Bool {
        namesOfConnection.contains { bytes.hasText($0, in: name) }
    }

    private static let namesOfConnection: [StaticString] = [
        "connection", "content-length", "expect", "forwarded", "keep-alive", "proxy-authorization",
        "proxy-connection", "storehouse-actor", "te", "trailer", "transfer-encoding", "upgrade", "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
    ]
}
