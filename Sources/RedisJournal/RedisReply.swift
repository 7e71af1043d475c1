import CHiredis
package import Journal

/// A reply of Redis (RESP2).
package enum RedisReply: Sendable, Equatable {
    case null
    case integer(Int)
    /// A status or a bulk string.
    case bytes([UInt8])
    case array([RedisReply])
    /// A text that begins with a code in capitals, such as `OOM`.
    case error(String)

    var integer: Int? {
        switch self {
        case .integer(let number): number
        case .bytes(let bytes): Int(String(decoding: bytes, as: UTF8.self))
        default: nil
        }
    }

    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    var array: [RedisReply]? { if case .array(let elements) = self { elements } else { nil } }

    fileprivate init(_ reply: redisReply) {
        switch reply.type {
        case REDIS_REPLY_INTEGER: self = .integer(Int(reply.integer))
        case REDIS_REPLY_ARRAY:
            let elements = UnsafeBufferPointer(start: reply.element, count: Int(reply.elements))
            self = .array(elements.map { element in element.map { RedisReply($0.pointee) } ?? .null })
        case REDIS_REPLY_ERROR: self = .error(String(decoding: Self.bytes(of: reply), as: UTF8.self))
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .bytes(Self.bytes(of: reply))
        default: self = .null
        }
    }

    private static func bytes(of reply: redisReply) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: reply.str, count: Int(reply.len)))
    }
}

/// Cuts the bytes of a connection into replies, with the protocol reader of hiredis.
package struct RedisReplyReader: ~Copyable {
    /// The bytes are not of a Redis server, so the connection is of no use.
    package struct Malformed: Error {}

    private let reader: UnsafeMutablePointer<redisReader>

    package init() throws(StorageError) {
        if let problem = chiredis_load(CHIREDIS_LIBRARY) {
            throw .refused(
                "storage.kind is redis, but hiredis cannot be loaded (Debian package: libhiredis0.14): "
                    + String(cString: problem))
        }
        guard let reader = chiredis_reader() else { throw .refused("there is no memory for a connection to Redis") }
        self.reader = reader
    }

    deinit { chiredis_free_reader(reader) }

    /// Takes the bytes that were received.
    package func feed(_ bytes: UnsafeRawBufferPointer) throws(Malformed) {
        guard chiredis_feed(reader, bytes.baseAddress, bytes.count) == 1 else { throw Malformed() }
    }

    /// The next reply; nil until more bytes arrive.
    package func next() throws(Malformed) -> RedisReply? {
        var failed: Int32 = 0
        guard let reply = chiredis_next(reader, &failed) else {
            if failed != 0 { throw Malformed() }
            return nil
        }
        defer { chiredis_free_reply(reply) }
        return RedisReply(reply.pointee)
    }
}
