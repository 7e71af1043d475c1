import CNghttp2
import Platform

/// The head of a request of HTTP/2 while its fields come. It becomes the same head of HTTP/1.1, so that one parser decides what is valid.
package struct HTTP2Head {
    private var method: [UInt8] = []
    private var path: [UInt8] = []
    private var authority: [UInt8] = []
    private var host: [UInt8]?
    private var fields: [UInt8] = []
    private var hasLength = false
    /// Whether two fields contradict each other, or one could end the request line (RFC 9113, section 8.3.1).
    package private(set) var isMalformed = false

    package init() {}

    /// How many bytes it has.
    package var byteCount: Int { method.count + path.count + authority.count + fields.count }

    /// Adds a field as nghttp2 has checked it: without line ends, in lower case, and pseudo-header fields first.
    package mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard name.first == UInt8(ascii: ":") else {
            if name.elementsEqual("host".utf8) { return addHost(Array(value)) }
            if name.elementsEqual("content-length".utf8) { hasLength = true }
            fields.append(contentsOf: name)
            fields.append(contentsOf: ": ".utf8)
            fields.append(contentsOf: value)
            fields.append(contentsOf: "\r\n".utf8)
            return
        }
        switch name.count {
        case 7 where name.elementsEqual(":method".utf8): method = Array(value)
        case 5 where name.elementsEqual(":path".utf8): path = Array(value)
        case 10 where name.elementsEqual(":authority".utf8): authority = Array(value)
        // The scheme is that of the client, which a trusted proxy also states in a field.
        default: return
        }
        if value.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { isMalformed = true }
    }

    private mutating func addHost(_ value: [UInt8]) {
        isMalformed = isMalformed || host != nil
        host = value
    }

    /// The head as HTTP/1.1 writes it.
    ///
    /// - Parameter hasBody: whether a body follows.
    package mutating func text(hasBody: Bool) -> [UInt8] {
        if let host, !authority.isEmpty, !host.isSameHost(as: authority) { isMalformed = true }
        let isConnect = method.elementsEqual("CONNECT".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(byteCount + 64)
        text += method
        text.append(UInt8(ascii: " "))
        text += isConnect ? authority : path
        text += " HTTP/1.1\r\n".utf8
        if let host = authority.isEmpty ? host : authority {
            text += "Host: ".utf8
            text += host
            text += "\r\n".utf8
        }
        text += fields
        // Its frames end a body without a length, as chunks do.
        if hasBody, !hasLength { text += "Transfer-Encoding: chunked\r\n".utf8 }
        text += "\r\n".utf8
        return text
    }
}

extension [UInt8] {
    fileprivate func isSameHost(as other: [UInt8]) -> Bool {
        count == other.count
            && zip(self, other).allSatisfy { a, b in a == b || a | 0x20 == b | 0x20 && (0x61...0x7A).contains(a | 0x20)
            }
    }
}

/// The head of a response as HTTP/2 sends it, made from that of HTTP/1.1.
enum HTTP2Fields {
    /// Calls `body` with the fields. They are valid during the call.
    ///
    /// - Parameter head: an encoded head of HTTP/1.1. Its names become lower case.
    static func withFields<Result>(
        of head: inout [UInt8], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        head.withUnsafeMutableBufferPointer { bytes in
            var fields: [nghttp2_nv] = []
            fields.reserveCapacity(24)
            // `HTTP/1.1 200 OK`
            let status = UnsafeMutableBufferPointer(rebasing: bytes[9..<12])
            var line = bytes.endOfLine(from: 0)
            while line < bytes.count, bytes[line] != UInt8(ascii: "\r") {
                let end = bytes.endOfLine(from: line)
                let colon = bytes[line..<end].firstIndex(of: UInt8(ascii: ":")) ?? end
                for index in line..<colon where (0x41...0x5A).contains(bytes[index]) { bytes[index] |= 0x20 }
                let name = UnsafeMutableBufferPointer(rebasing: bytes[line..<colon])
                if !name.elementsEqual("connection".utf8), !name.elementsEqual("transfer-encoding".utf8) {
                    fields.append(nghttp2_nv(name, UnsafeMutableBufferPointer(rebasing: bytes[colon + 2..<end - 2])))
                }
                line = end
            }
            var statusName = (
                UInt8(ascii: ":"), UInt8(ascii: "s"), UInt8(ascii: "t"), UInt8(ascii: "a"), UInt8(ascii: "t"),
                UInt8(ascii: "u"), UInt8(ascii: "s")
            )
            return withUnsafeMutableBytes(of: &statusName) { name in
                fields.insert(nghttp2_nv(name.bindMemory(to: UInt8.self), status), at: 0)
                return fields.withUnsafeBufferPointer(body)
            }
        }
    }
}

extension nghttp2_nv {
    fileprivate init(_ name: UnsafeMutableBufferPointer<UInt8>, _ value: UnsafeMutableBufferPointer<UInt8>) {
        self.init(
            name: name.baseAddress, value: value.baseAddress, namelen: name.count, valuelen: value.count,
            flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// The index behind the line end that follows.
    fileprivate func endOfLine(from start: Int) -> Int {
        (self[start...].firstIndex(of: UInt8(ascii: "\n")) ?? count - 1) + 1
    }
}
