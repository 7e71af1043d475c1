/// Frames of the WebSocket protocol as a server sends them, unmasked and whole (RFC 6455, section 5).
enum WebSocketFrame {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    static func header(_ opcode: Opcode, _ length: Int) -> [UInt8] {
        let start = 0x80 | opcode.rawValue
        switch length {
        case ..<126: return [start, UInt8(length)]
        case ..<65536: return [start, 126, UInt8(length >> 8), UInt8(length & 0xff)]
        default: return [start, 127] + bigEndian(UInt64(length))
        }
    }

    static func bytes(_ opcode: Opcode, _ payload: [UInt8] = []) -> [UInt8] {
        header(opcode, payload.count) + payload
    }

    static func close(_ code: UInt16) -> [UInt8] { bytes(.close, [UInt8(code >> 8), UInt8(code & 0xff)]) }

    fileprivate static func bigEndian(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

/// Reads messages of frames as a client sends them, masked and perhaps in fragments.
struct WebSocketReader {
    enum Message: Equatable {
        case text([UInt8])
        case ping([UInt8])
        case pong
        case close([UInt8])
    }

    /// The reason why a connection fails, as its last frame tells it (RFC 6455, section 7.4.1).
    struct Failure: Error {
        let code: UInt16
    }

    var maxMessageBytes = 0
    private var input: [UInt8] = []
    /// The fragments of a message so far; nil between messages.
    private var message: [UInt8]?

    mutating func add(_ bytes: UnsafeRawBufferPointer) { input += bytes }

    /// The next message; nil if it has not arrived completely.
    mutating func next() throws(Failure) -> Message? {
        while let frame = try takeFrame() {
            switch frame.opcode {
            case .ping: return .ping(frame.payload)
            case .pong: return .pong
            case .close: return .close(frame.payload)
            case .binary: throw Failure(code: 1003)
            case .text, .continuation:
                guard (frame.opcode == .text) == (message == nil) else { throw Failure(code: 1002) }
                let whole = (message ?? []) + frame.payload
                message = frame.isLast ? nil : whole
                guard frame.isLast else { continue }
                guard String(validating: whole, as: UTF8.self) != nil else { throw Failure(code: 1007) }
                return .text(whole)
            }
        }
        return nil
    }

    private mutating func takeFrame() throws(Failure) -> (
        opcode: WebSocketFrame.Opcode, isLast: Bool, payload: [UInt8]
    )? {
        guard input.count >= 2 else { return nil }
        let isLast = input[0] & 0x80 != 0
        guard input[0] & 0x70 == 0, input[1] & 0x80 != 0,
            let opcode = WebSocketFrame.Opcode(rawValue: input[0] & 0x0f)
        else { throw Failure(code: 1002) }
        var (length, start) = (Int(input[1] & 0x7f), 2)
        if opcode.isControl, !isLast || length > 125 { throw Failure(code: 1002) }
        if length >= 126 {
            let end = length == 126 ? 4 : 10
            guard input.count >= end else { return nil }
            length = input[2..<end].reduce(0) { $0 << 8 | Int($1) }
            start = end
        }
        guard opcode.isControl || (0...maxMessageBytes - (message?.count ?? 0)).contains(length) else {
            throw Failure(code: 1009)
        }
        let mask = start
        start += 4
        guard input.count >= start + length else { return nil }
        let payload = (0..<length).map { input[start + $0] ^ input[mask + $0 & 3] }
        input.removeFirst(start + length)
        return (opcode, isLast, payload)
    }
}

/// The proof that a server has understood the handshake (RFC 6455, section 4.2.2).
enum WebSocketHandshake {
    static func accept(_ key: String) -> String {
        base64(sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    private static func sha1(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        bytes += WebSocketFrame.bigEndian(UInt64(message.count) * 8)
        var hash: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
        for block in stride(from: 0, to: bytes.count, by: 64) {
            var words: [UInt32] = []
            for index in stride(from: block, to: block + 64, by: 4) {
                words.append(bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) })
            }
            for index in 16..<80 {
                let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
                words.append(word << 1 | word >> 31)
            }
            var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
            for index in 0..<80 {
                let mixed: UInt32
                let constant: UInt32
                switch index {
                case ..<20: (mixed, constant) = ((b & c) | (~b & d), 0x5a82_7999)
                case ..<40: (mixed, constant) = (b ^ c ^ d, 0x6ed9_eba1)
                case ..<60: (mixed, constant) = ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc)
                default: (mixed, constant) = (b ^ c ^ d, 0xca62_c1d6)
                }
                let rotated = a << 5 | a >> 27
                let next = rotated &+ mixed &+ e &+ constant &+ words[index]
                (a, b, c, d, e) = (next, a, b << 30 | b >> 2, c, d)
            }
            for (index, word) in [a, b, c, d, e].enumerated() { hash[index] &+= word }
        }
        return hash.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            var group = 0
            for index in start..<start + 3 { group = group << 8 | (index < bytes.count ? Int(bytes[index]) : 0) }
            for index in 0..<4 {
                let isPadding = start + index > bytes.count
                text.append(isPadding ? UInt8(ascii: "=") : digits[group >> (18 - 6 * index) & 63])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
