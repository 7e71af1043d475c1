/// Reads a request line (RFC 9112, section 3) after at most one empty line (section 2.2), resumable at any byte.
struct RequestLineScanner: Sendable {
    private enum Phase: Sendable { case start, emptyLineEnd, method, target, version, end }

    /// The method, once it was read.
    private(set) var method: HTTPMethod?
    private(set) var version = HTTPVersion.http11
    private var phase = Phase.start
    private var position = 0
    private var start = 0
    private var targetStart = 0
    private var targetEnd = 0
    private let maxTargetBytes: Int

    init(maxTargetBytes: Int) { self.maxTargetBytes = maxTargetBytes }

    /// Where the target stands; sensible once the line is complete.
    var target: Range<Int> { targetStart..<targetEnd }

    /// Scans on; returns the offset after the line, or nil while its end has not come.
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
            throw .malformed("A carriage return stands without its line feed.")
        }
        position &+= 1
        start = position
        phase = .method
    }

    private mutating func scanMethod(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        let token = ByteClass.token
        let limit = start &+ HTTPLimits.maxMethodBytes
        let end = min(bytes.count, limit &+ 1)
        var index = position
        while index < end, token.contains(bytes[index]) { index &+= 1 }
        position = index
        guard position <= limit else { throw RequestFailure(.notImplemented, "No method is that long.") }
        guard position < bytes.count else { return }
        guard bytes[position] == ASCII.space, position > start else {
            throw .malformed("The request line does not start with a method and one space.")
        }
        method = knownMethod(bytes) ?? HTTPMethod(String(decoding: bytes[start..<position], as: UTF8.self))
        position &+= 1
        targetStart = position
        phase = .target
    }

    /// The methods of nearly all requests, found without a string.
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
            throw .malformed("The request line is not a method, a target and a version with one space between.")
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
            guard Self.fits(byte, at: position &- versionStart) else {
                throw .malformed("The request line does not end with HTTP/1.1 and CR LF.")
            }
            position &+= 1
            guard byte != ASCII.lineFeed else { break }
        }
        guard bytes[position &- 1] == ASCII.lineFeed else { return }
        switch (bytes[versionStart &+ 5], bytes[versionStart &+ 7]) {
        case (0x31, 0x30): version = .http10
        // All other minor versions: they add nothing that 1.1 must know (RFC 9110, section 2.5).
        case (0x31, _): version = .http11
        default:
            throw RequestFailure(.versionNotSupported, "This server speaks HTTP/1.1 and HTTP/1.0.")
        }
        phase = .end
    }

    /// Whether the byte may stand at this place of `HTTP/d.d` CR LF.
    private static func fits(_ byte: UInt8, at place: Int) -> Bool {
        switch place {
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
    /// Whether `HTTP/1.1` and CR LF stand here, as in nearly all requests; two loads and no loop.
    fileprivate func hasCommonVersion(at index: Int) -> Bool {
        guard count &- index >= 10 else { return false }
        let text = UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let end = UInt16(littleEndian: loadUnaligned(fromByteOffset: index &+ 8, as: UInt16.self))
        return text == 0x312E_312F_5054_5448 && end == 0x0A0D
    }
}
