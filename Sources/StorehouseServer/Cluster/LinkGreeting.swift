package import HTTP

/// How a connection between nodes begins: a request to the ordinary port of the other node asks for the protocol (RFC 9110, section
/// 7.8), with the hello of a ``LinkCaller``, and the response has the answer to it.
package enum LinkGreeting {
    package static let name = "storehouse-link"
    package static let field = "Storehouse-Link"
    private static let maxBytes = 4096

    package static func isAsked(in head: RequestHead) -> Bool {
        head.fields.contains("upgrade") && head.fields.hasOne("upgrade", is: "storehouse-link")
    }

    package static func request(_ hello: String) -> [UInt8] {
        let fields = "Host: node\r\nConnection: Upgrade\r\nUpgrade: \(name)\r\n\(field): \(hello)\r\n"
        return Array("OPTIONS * HTTP/1.1\r\n\(fields)\r\n".utf8)
    }

    package enum Answer {
        case incomplete
        /// - Parameter length: how many bytes belong to it.
        case agreed(answer: String, length: Int)
        /// The other node takes no requests of this one.
        case refused
        /// The other end is no node that has this protocol.
        case other
    }

    /// Reads the bytes that the other end has sent so far.
    package static func answer(in bytes: UnsafeRawBufferPointer) -> Answer {
        let text = String(decoding: bytes.prefix(maxBytes), as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return bytes.count < maxBytes ? .incomplete : .other }
        let head = text[..<end.lowerBound]
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        if lines[0].hasPrefix("HTTP/1.1 421 ") { return .refused }
        let prefix = "\(field): "
        guard lines[0].hasPrefix("HTTP/1.1 101 "), let line = lines.first(where: { $0.hasPrefix(prefix) }) else {
            return .other
        }
        return .agreed(answer: String(line.dropFirst(prefix.count)), length: text[..<end.upperBound].utf8.count)
    }
}
