import CNghttp2
import Platform

/// The head of a request of HTTP/2 while its fields come. It becomes the same head of HTTP/1.1, so that one parser decides what is valid.
package struct HTTP2Head {
    private var method: [UInt8] = []
    private var path: [UInt8] = []
    private var authority: [UInt8] = []
    private var host: [UInt8] = []
    private var fields: [UInt8] = []
    private var hasHost = false
    private var hasLength = false
    /// Whether two fields contradict each other, or one could end the request line (RFC 9113, section 8.3.1).
    package private(set) var isMalformed = false

    /// The memory of a head is used for the next one if it is no more than this.
    private static let maxKeptBytes = 4096
    private static let version = Array(" HTTP/1.1\r\n".utf8)
    private static let hostName = Array("Host: ".utf8)
    private static let chunked = Array("Transfer-Encoding: chunked\r\n".utf8)

    package init() {}

    /// The fields of another request come.
    package mutating func begin() {
        if byteCount > Self.maxKeptBytes { self = HTTP2Head() }
        method.removeAll(keepingCapacity: true)
        path.removeAll(keepingCapacity: true)
        authority.removeAll(keepingCapacity: true)
        host.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        (hasHost, hasLength, isMalformed) = (false, false, false)
    }

    /// How many bytes it has.
    package var byteCount: Int { method.count + path.count + authority.count + host.count + fields.count }

    /// Adds a field as nghttp2 has checked it: without line ends, in lower case, and pseudo-header fields first.
    package mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard name.first == UInt8(ascii: ":") else {
            if name.equals("host") { return addHost(value) }
            if name.equals("content-length") { hasLength = true }
            fields.append(contentsOf: name)
            fields.append(UInt8(ascii: ":"))
            fields.append(UInt8(ascii: " "))
            fields.append(contentsOf: value)
            fields.append(UInt8(ascii: "\r"))
            fields.append(UInt8(ascii: "\n"))
            return
        }
        if name.equals(":method") {
            method.append(contentsOf: value)
        } else if name.equals(":path") {
            path.append(contentsOf: value)
        } else if name.equals(":authority") {
            authority.append(contentsOf: value)
        } else {
            // The scheme is that of the client, which a trusted proxy also states in a field.
            return
        }
        if value.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { isMalformed = true }
    }

    private mutating func addHost(_ value: UnsafeRawBufferPointer) {
        if hasHost { isMalformed = true } else { host.append(contentsOf: value) }
        hasHost = true
    }

    /// The head as HTTP/1.1 writes it.
    ///
    /// - Parameter hasBody: whether a body follows.
    package mutating func text(hasBody: Bool) -> [UInt8] {
        if hasHost, !authority.isEmpty, !host.isSameHost(as: authority) { isMalformed = true }
        let isConnect = method.withUnsafeBytes { $0.equals("CONNECT") }
        var text: [UInt8] = []
        text.reserveCapacity(byteCount + 64)
        text += method
        text.append(UInt8(ascii: " "))
        text += isConnect ? authority : path
        text += Self.version
        if hasHost || !authority.isEmpty {
            text += Self.hostName
            text += authority.isEmpty ? host : authority
            text.append(UInt8(ascii: "\r"))
            text.append(UInt8(ascii: "\n"))
        }
        text += fields
        // Its frames end a body without a length, as chunks do.
        if hasBody, !hasLength { text += Self.chunked }
        text.append(UInt8(ascii: "\r"))
        text.append(UInt8(ascii: "\n"))
        return text
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && (baseAddress.map { memcmp($0, text.utf8Start, count) == 0 } ?? true)
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
    static func withFields(of head: inout [UInt8], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Void) {
        head.withUnsafeMutableBufferPointer { bytes in
            // No line is shorter than `a: \r\n`.
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: bytes.count / 5) { fields in
                body(UnsafeBufferPointer(rebasing: fields[..<fill(fields, from: bytes)]))
            }
        }
    }

    /// - Parameter fields: has room for each line of the head.
    /// - Returns: how many fields there are.
    private static func fill(
        _ fields: UnsafeMutableBufferPointer<nghttp2_nv>, from head: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        // `HTTP/1.1 200 OK`
        fields.initializeElement(
            at: 0, to: nghttp2_nv(Self.statusName, UnsafeMutableBufferPointer(rebasing: head[9..<12])))
        var count = 1
        var start = head.index(of: UInt8(ascii: "\n"), from: 0) + 1
        while start < head.count, head[start] != UInt8(ascii: "\r") {
            let end = head.index(of: UInt8(ascii: "\n"), from: start)
            let colon = head.index(of: UInt8(ascii: ":"), from: start)
            for index in start..<colon where (0x41...0x5A).contains(head[index]) { head[index] |= 0x20 }
            let name = UnsafeMutableBufferPointer(rebasing: head[start..<colon])
            if !isFraming(UnsafeRawBufferPointer(name)) {
                let value = UnsafeMutableBufferPointer(rebasing: head[colon + 2..<end - 1])
                fields.initializeElement(at: count, to: nghttp2_nv(name, value))
                count += 1
            }
            start = end + 1
        }
        return count
    }

    /// Safe to share between threads, because nobody changes it.
    private nonisolated(unsafe) static let statusName: UnsafeMutableBufferPointer<UInt8> = {
        let name = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 7)
        _ = name.initialize(from: ":status".utf8)
        return name
    }()

    /// HTTP/2 has frames instead.
    private static func isFraming(_ name: UnsafeRawBufferPointer) -> Bool {
        name.equals("connection") || name.equals("transfer-encoding")
    }
}

extension nghttp2_nv {
    fileprivate init(_ name: UnsafeMutableBufferPointer<UInt8>, _ value: UnsafeMutableBufferPointer<UInt8>) {
        // Each request has an id of its own: the table of the client would hold nothing else, and each encoding would search it.
        let isUnique = UnsafeRawBufferPointer(name).equals("x-request-id")
        self.init(
            name: name.baseAddress, value: value.baseAddress, namelen: name.count, valuelen: value.count,
            flags: UInt8((isUnique ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE).rawValue))
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// The index of a byte that follows; the end without one.
    fileprivate func index(of byte: UInt8, from start: Int) -> Int {
        guard let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start) else { return count }
        return UnsafeRawPointer(base).distance(to: found)
    }
}
