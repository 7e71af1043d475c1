/// One message on a connection between nodes, behind the handshake: the length of what follows in 32 bits, a kind in 8, the number
/// of a stream in 32, and then what the kind needs. All numbers are in network byte order.
///
/// A stream is a request with its response. The node that has opened the connection chooses the number: the lower half is a place that
/// is free, and the upper half differs from that of the last stream at this place, so that a late frame finds no other stream.
package enum LinkFrame {
    /// The proof of the node that has opened the connection: its first frame.
    case proof(UnsafeRawBufferPointer)
    /// The start of a request, or of its response.
    ///
    /// - Parameter bodyLength: nil for a body that ends with ``end(_:)``.
    case start(UInt32, head: UnsafeRawBufferPointer, bodyLength: Int?, piece: UnsafeRawBufferPointer)
    /// The next bytes of a body.
    case piece(UInt32, UnsafeRawBufferPointer)
    /// The next bytes of the bodies of several streams, which get the same.
    case sharedPiece(LinkStreamList, UnsafeRawBufferPointer)
    case end(UInt32)
    /// Nothing more is sent or awaited on the stream.
    case cancel(UInt32)
    /// The receiver has taken so many bytes of the body.
    case credit(UInt32, Int)
    case ping
    case pong
    /// The node takes no more requests on this connection, and will close it.
    case leave

    /// A longer frame is not read.
    package static let maxBytes = 1 << 21
    /// More bytes of a body are sent in several frames.
    package static let maxPieceBytes = 1 << 16
    /// A piece for several streams may be longer, because it would be sent for each of them.
    package static let maxSharedBytes = 1 << 20
    package static let maxProofBytes = LinkVersion.maxBytes
    static let maxSharing = 1 << 16
    static let headerBytes = 9

    enum Kind: UInt8 {
        case proof, start, piece, sharedPiece, end, cancel, credit, ping, pong, leave
    }
}

/// The numbers of streams in a frame.
package struct LinkStreamList: Sequence {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var count: Int { bytes.count / 4 }

    package func makeIterator() -> Iterator { Iterator(bytes) }

    package struct Iterator: IteratorProtocol {
        private let bytes: UnsafeRawBufferPointer
        private var index = 0

        fileprivate init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        package mutating func next() -> UInt32? {
            guard index < bytes.count else { return nil }
            defer { index += 4 }
            return bytes.number(at: index)
        }
    }
}

// Writing.
extension LinkFrame {
    static func bytes(
        _ kind: Kind, _ stream: UInt32, capacity: Int = 0, _ fill: (inout LinkFrameWriter) -> Void = { _ in }
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: headerBytes + capacity) { buffer, count in
            var writer = LinkFrameWriter(UnsafeMutableRawBufferPointer(buffer))
            writer.add(UInt32(headerBytes - 4 + capacity))
            writer.add(kind.rawValue)
            writer.add(stream)
            fill(&writer)
            count = writer.count
        }
    }

    package static func proof(_ text: String) -> [UInt8] {
        let text = Array(text.utf8)
        return bytes(.proof, 0, capacity: text.count) { $0.add(text[...]) }
    }

    package static func start(
        _ stream: UInt32, _ head: [UInt8], bodyLength: Int?, _ piece: ArraySlice<UInt8>
    ) -> [UInt8] {
        bytes(.start, stream, capacity: 12 + head.count + piece.count) { frame in
            frame.add(UInt64(bodyLength.map { $0 + 1 } ?? 0))
            frame.add(UInt32(head.count))
            frame.add(head[...])
            frame.add(piece)
        }
    }

    package static func piece(_ stream: UInt32, _ piece: ArraySlice<UInt8>) -> [UInt8] {
        bytes(.piece, stream, capacity: piece.count) { $0.add(piece) }
    }

    static func sharedPiece(_ streams: [UInt32], _ piece: LinkPiece) -> [UInt8] {
        bytes(.sharedPiece, UInt32(streams.count), capacity: 4 * streams.count + piece.count) { frame in
            for stream in streams { frame.add(stream) }
            frame.add(piece.first)
            for part in piece.others { frame.add(part[...]) }
        }
    }

    static func credit(_ stream: UInt32, _ count: Int) -> [UInt8] {
        bytes(.credit, stream, capacity: 4) { $0.add(UInt32(count)) }
    }
}

struct LinkFrameWriter {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    @inline(__always)
    mutating func add<Number: FixedWidthInteger>(_ number: Number) {
        memory.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
        count += MemoryLayout<Number>.size
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: $0) }
        count += bytes.count
    }
}

// Reading.
extension LinkFrame {
    /// - Parameter bytes: all of a frame behind its length.
    init(_ bytes: UnsafeRawBufferPointer) throws(LinkVersion.Failure) {
        guard bytes.count >= 5, let kind = Kind(rawValue: bytes[0]) else { throw .malformed }
        let stream = bytes.number(at: 1)
        let rest = UnsafeRawBufferPointer(rebasing: bytes[5...])
        switch kind {
        case .proof where stream == 0: self = .proof(rest)
        case .start where stream > 0: self = try Self.start(stream, rest)
        case .piece where stream > 0 && !rest.isEmpty && rest.count <= Self.maxPieceBytes: self = .piece(stream, rest)
        case .sharedPiece: self = try Self.sharedPiece(Int(stream), rest)
        case .end where stream > 0 && rest.isEmpty: self = .end(stream)
        case .cancel where stream > 0 && rest.isEmpty: self = .cancel(stream)
        case .credit where stream > 0 && rest.count == 4: self = .credit(stream, Int(rest.number(at: 0)))
        case .ping where stream == 0 && rest.isEmpty: self = .ping
        case .pong where stream == 0 && rest.isEmpty: self = .pong
        case .leave where stream == 0 && rest.isEmpty: self = .leave
        default: throw .malformed
        }
    }

    private static func start(
        _ stream: UInt32, _ bytes: UnsafeRawBufferPointer
    ) throws(LinkVersion.Failure) -> LinkFrame {
        guard bytes.count >= 12 else { throw .malformed }
        let length = UInt64(bytes.number(at: 0)) << 32 | UInt64(bytes.number(at: 4))
        let headEnd = 12 + Int(bytes.number(at: 8))
        guard length <= 1 << 40, headEnd <= bytes.count, bytes.count - headEnd <= maxPieceBytes else {
            throw .malformed
        }
        return .start(
            stream, head: UnsafeRawBufferPointer(rebasing: bytes[12..<headEnd]),
            bodyLength: length == 0 ? nil : Int(length) - 1, piece: UnsafeRawBufferPointer(rebasing: bytes[headEnd...]))
    }

    private static func sharedPiece(
        _ count: Int, _ bytes: UnsafeRawBufferPointer
    ) throws(LinkVersion.Failure) -> LinkFrame {
        guard 1...maxSharing ~= count, bytes.count > 4 * count, bytes.count - 4 * count <= maxSharedBytes else {
            throw .malformed
        }
        return .sharedPiece(
            LinkStreamList(UnsafeRawBufferPointer(rebasing: bytes[..<(4 * count)])),
            UnsafeRawBufferPointer(rebasing: bytes[(4 * count)...]))
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func number(at index: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: index, as: UInt32.self))
    }
}

/// Reads frames from pieces of any length.
package struct LinkFrameReader: Sendable {
    /// The first bytes of a frame that has not arrived completely.
    private var partial: [UInt8] = []

    package init() {}

    /// How many bytes of such a frame it holds.
    package var heldBytes: Int { partial.count }

    /// Calls `take` with each frame, whose bytes are valid during the call.
    ///
    /// - Parameter take: returns whether to go on.
    package mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ take: (LinkFrame) throws(LinkVersion.Failure) -> Bool
    ) throws(LinkVersion.Failure) {
        var rest = bytes
        while !rest.isEmpty {
            if !partial.isEmpty {
                guard let whole = try complete(&rest) else { return }
                guard try Self.take(whole, take) else { return }
                continue
            }
            guard let length = try Self.length(rest), rest.count >= length else {
                partial = [UInt8](rest)
                return
            }
            guard try take(LinkFrame(UnsafeRawBufferPointer(rebasing: rest[4..<length]))) else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[length...])
        }
    }

    private static func take(
        _ whole: [UInt8], _ take: (LinkFrame) throws(LinkVersion.Failure) -> Bool
    ) throws(LinkVersion.Failure) -> Bool {
        let result = whole.withUnsafeBytes { bytes in
            Result { () throws(LinkVersion.Failure) in
                try take(LinkFrame(UnsafeRawBufferPointer(rebasing: bytes[4...])))
            }
        }
        return try result.get()
    }

    /// Adds to the partial frame; nil if it is not complete then.
    private mutating func complete(_ rest: inout UnsafeRawBufferPointer) throws(LinkVersion.Failure) -> [UInt8]? {
        while true {
            let length = try partial.withUnsafeBytes { bytes in
                Result { () throws(LinkVersion.Failure) in try Self.length(bytes) }
            }.get()
            if let length, partial.count == length {
                defer { partial = [] }
                return partial
            }
            let missing = (length ?? 4) - partial.count
            guard !rest.isEmpty else { return nil }
            partial += rest.prefix(missing)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(missing))
        }
    }

    /// The length of the first frame with its length; nil if it is not known yet.
    private static func length(_ bytes: UnsafeRawBufferPointer) throws(LinkVersion.Failure) -> Int? {
        guard bytes.count >= 4 else { return nil }
        let length = Int(bytes.number(at: 0))
        guard LinkFrame.headerBytes - 4...LinkFrame.maxBytes ~= length else { throw .malformed }
        return 4 + length
    }
}
