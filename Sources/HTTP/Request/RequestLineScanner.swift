/// Scans a request line (RFC 9112, section 3) behind at most one empty line (section 2.2). Input may arrive in pieces.
struct RequestLineScanner: Sendable {
    private enum Phase: Sendable { case start, emptyLineEnd, method, target, version, end }

    /// The method; nil until it is complete.
    private(set) var method: HTTPMethod?
    private(set) var version = HTTPVersion.http11
    private var phase = Phase.start
    private var position = 0
    private var start = 0
    private var targetStart = 0
    private var targetEnd = 0
    private let maxTargetBytes: Int

    init(maxTargetBytes: Int) { self.maxTargetBytes = maxTargetBytes }

    /// The range of the target; valid after the line is complete.
    var target: Range<Int> { targetStart..<targetEnd }

    /// Scans new bytes. Returns the offset behind the line, or nil if it is incomplete.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) -> Int? {
        while position < bytes.count {
            switch phase {
            case .start: scanStart(bytes)
            case .emptyLineEnd: try scanEmptyLineEnd(bytes)
            case .method: try scanMethod(bytes)
            case .target: try scanTarget(bytes)
            case .version: try scanVersion(bytes)
            case .end: break
            }
            if phase == .end { return position }
        }
        return nil
    }

    private mutating func scanStart(_ bytes: UnsafeRawBufferPointer) {
        if bytes[position] == ASCII.carriageReturn {
            position &+= 1
            phase = .emptyLineEnd
        } else {
            phase = .method
        }
    }

    private mutating func scanEmptyLineEnd(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        guard bytes[position] == ASCII.lineFeed else {
            throw .malformed("A carriage return is not followed by a line feed.")
        }
        position &+= 1
        start = position
        phase = .method
    }

    private mutating func scanMethod(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        let limit = start &+ HTTPLimits.maxMethodBytes
        position = bytes.end(of: .token, from: position, to: min(bytes.count, limit &+ 1))
        guard position <= limit else { throw RequestFailure(.notImplemented, "The method is too long.") }
        guard position < bytes.count else { return }
        guard bytes[position] == ASCII.space, position > start else {
            throw .malformed("The request line must start with a method and one space.")
        }
        method = knownMethod(bytes) ?? HTTPMethod(String(decoding: bytes[start..<position], as: UTF8.self))
        position &+= 1
        targetStart = position
        phase = .target
    }

    /// Recognizes the most frequent methods without creating a string.
    private func knownMethod(_ bytes: UnsafeRawBufferPointer) -> HTTPMethod? {
        let length = position &- start
        let first = bytes[start]
        if length == 3, first == 0x47, bytes[start &+ 1] == 0x45, bytes[start &+ 2] == 0x54 { return .get }
        if length == 4, first == 0x50, bytes[start &+ 1] == 0x4F, bytes[start &+ 2] == 0x53, bytes[start &+ 3] == 0x54 {
            return .post
        }
        return nil
    }

    private mutating func scanTarget(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        let limit = targetStart &+ maxTargetBytes
        let end = min(bytes.count, limit &+ 1)
        position = bytes.firstControl(from: position, to: end, below: ASCII.space &+ 1)
        guard position <= limit else {
            throw RequestFailure(.uriTooLong, "The request target has more than \(maxTargetBytes) bytes.")
        }
        guard position < bytes.count else { return }
        guard bytes[position] == ASCII.space, position > targetStart else {
            throw .malformed("The request line must be a method, a target and a version, separated by one space.")
        }
        targetEnd = position
        position &+= 1
        phase = .version
    }

    private mutating func scanVersion(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        let versionStart = targetEnd &+ 1
        if position == versionStart, bytes.hasCommonVersion(at: position) {
            position &+= 10
            phase = .end
            return
        }
        while position < bytes.count {
            let byte = bytes[position]
            guard Self.isAllowed(byte, at: position &- versionStart) else {
                throw .malformed("The request line must end with HTTP/1.1 and CR LF.")
            }
            position &+= 1
            guard byte != ASCII.lineFeed else { break }
        }
        guard bytes[position &- 1] == ASCII.lineFeed else { return }
        switch (bytes[versionStart &+ 5], bytes[versionStart &+ 7]) {
        case (0x31, 0x30): version = .http10
        // Later minor versions are compatible with 1.1 (RFC 9110, section 2.5).
        case (0x31, _): version = .http11
        default:
            throw RequestFailure(.versionNotSupported, "This server supports HTTP/1.1 and HTTP/1.0.")
        }
        phase = .end
    }

    /// Whether the byte is allowed at this offset of `HTTP/d.d` CR LF.
    private static func isAllowed(_ byte: UInt8, at offset: Int) -> Bool {
        switch offset {
        case 0: byte == 0x48
        case 1, 2: byte == 0x54
        case 3: byte == 0x50
        case 4: byte == ASCII.slash
        case 5, 7: ByteClass.digit.contains(byte)
        case 6: byte == ASCII.dot
        case 8: byte == ASCII.carriageReturn
        case 9: byte == ASCII.lineFeed
        default: false
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether `HTTP/1.1` CR LF follows, as in nearly all requests. Takes two loads and no loop.
    fileprivate func hasCommonVersion(at index: Int) -> Bool {
        guard count &- index >= 10 else { return false }
        let text = UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let end = UInt16(littleEndian: loadUnaligned(fromByteOffset: index &+ 8, as: UInt16.self))
        return text == 0x312E_312F_5054_5448 && end == 0x0A0D
    }
}
