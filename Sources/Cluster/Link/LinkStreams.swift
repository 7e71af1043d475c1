/// Decides what travels on a connection between two nodes that have proved themselves: the requests and responses in progress, and
/// how much of each body may be on its way.
///
/// Each body has a window: so many bytes may be sent before the receiver has taken them. A receiver that takes none stops its own
/// stream, and no other one.
package struct LinkStreams: Sendable {
    /// The size of a window in bytes. A piece of a body may be sent while its window is not used up; only a shared piece may be
    /// longer than the rest of the window.
    package static let window = 1 << 16
    /// How many streams there may be. The node that has opened the connection opens another one beyond that.
    package static let maxStreams = 1 << 16
    /// While more bytes than this wait for the other node, a connection gets more only if the output budget has room for them, and
    /// the node that takes the requests reads no further ones.
    package static let maxPendingBytes = 1 << 20

    package enum Event {
        /// A request, or a response. Its body may be complete.
        case started(UInt32, head: UnsafeRawBufferPointer, bodyLength: Int?, piece: UnsafeRawBufferPointer)
        case piece(UInt32, UnsafeRawBufferPointer)
        case sharedPiece(LinkStreamList, UnsafeRawBufferPointer)
        case ended(UInt32)
        case cancelled(UInt32)
        /// Send these bytes. If nothing waits any more, the next piece can be sent.
        case writable(UInt32, [UInt8], isEmpty: Bool)
        case answerPing
        case leave
        case none
    }

    /// By the lower half of their numbers. The other half changes with each use of a place.
    private var places: [LinkStream] = []
    private var free: [UInt16] = []
    package private(set) var count = 0
    /// How many bytes wait for the other node to take earlier ones.
    package private(set) var waitingBytes = 0
    private let opens: Bool

    /// - Parameter opens: whether this node has opened the connection, and sends requests.
    package init(opens: Bool) { self.opens = opens }

    package var isEmpty: Bool { count == 0 }

    /// Whether one more request can be sent.
    package var hasRoom: Bool { count < Self.maxStreams }

    /// How many of them belong to a stream.
    package func waitingBytes(_ number: UInt32) -> Int { place(number).map { places[$0].waitingBytes } ?? 0 }

    /// The place of a stream among all of them.
    @inline(__always)
    package static func place(_ number: UInt32) -> Int { Int(number & 0xFFFF) }

    /// The place of a stream that is in progress; nil if it is over.
    @inline(__always)
    private func place(_ number: UInt32) -> Int? {
        let place = Self.place(number)
        return place < places.count && places[place].number == number ? place : nil
    }

    private mutating func remove(_ place: Int) {
        let number = places[place].number
        waitingBytes -= places[place].waitingBytes
        places[place] = LinkStream(number: 0, last: number)
        count -= 1
        if opens { free.append(UInt16(place)) }
    }

    private mutating func removeIfOver(_ place: Int) { if places[place].isOver { remove(place) } }

    /// Counts the bytes that wait behind a change of a stream.
    private mutating func change(_ place: Int, _ body: (inout LinkStream) -> [UInt8]) -> [UInt8] {
        waitingBytes -= places[place].waitingBytes
        defer { waitingBytes += places[place].waitingBytes }
        return body(&places[place])
    }
}

// Sending. Each function returns the bytes to write.
extension LinkStreams {
    /// Begins a stream with a request. There must be room.
    package mutating func open(_ head: [UInt8], _ body: [UInt8]) -> (number: UInt32, bytes: [UInt8]) {
        let place: Int
        if let used = free.popLast() {
            place = Int(used)
        } else {
            place = places.count
            places.append(LinkStream(number: 0, last: UInt32(place)))
        }
        // Never 0, which is no number.
        let number = places[place].last &+ 0x1_0000
        let next = number <= 0xFFFF ? number + 0x1_0000 : number
        places[place] = LinkStream(number: next, last: next)
        count += 1
        return (next, change(place) { $0.start(head, body) })
    }

    /// Sends the whole of a response.
    package mutating func respond(_ number: UInt32, _ head: [UInt8], _ body: [UInt8]) -> [UInt8] {
        guard let place = place(number), !places[place].isSent else { return [] }
        defer { removeIfOver(place) }
        return change(place) { $0.start(head, body) }
    }

    /// Begins a response whose body has no length.
    package mutating func startBody(_ number: UInt32, _ head: [UInt8]) -> [UInt8] {
        place(number) == nil ? [] : LinkFrame.start(number, head, bodyLength: nil, [])
    }

    /// Whether a piece of such a body can be sent now, in one frame with others. If so, it is counted.
    package mutating func takeShared(_ number: UInt32, _ byteCount: Int) -> Bool {
        guard byteCount <= LinkFrame.maxSharedBytes, let place = place(number), places[place].isFree else {
            return false
        }
        places[place].window -= byteCount
        return true
    }

    /// Sends the next piece of such a body.
    package mutating func send(_ number: UInt32, _ piece: LinkPiece) -> [UInt8] {
        guard let place = place(number), !places[place].isSent else { return [] }
        return change(place) { stream in
            stream.wait(piece.first)
            for part in piece.others { stream.wait(part[...]) }
            return stream.flush()
        }
    }

    /// Ends such a body, behind what waits.
    package mutating func end(_ number: UInt32) -> [UInt8] {
        guard let place = place(number), !places[place].isSent else { return [] }
        places[place].isSent = true
        places[place].endsBehind = true
        defer { removeIfOver(place) }
        return places[place].flush()
    }

    package mutating func cancel(_ number: UInt32) -> [UInt8] {
        guard let place = place(number) else { return [] }
        remove(place)
        return LinkFrame.bytes(.cancel, number)
    }

    /// Bytes of a body were taken.
    ///
    /// - Returns: what tells the sender; empty if it need not know yet.
    package mutating func take(_ number: UInt32, _ byteCount: Int) -> [UInt8] {
        guard let place = place(number), !places[place].isReceived else { return [] }
        places[place].taken += byteCount
        let taken = places[place].taken
        guard taken >= Self.window / 2 else { return [] }
        places[place].allowance += taken
        places[place].taken = 0
        return LinkFrame.credit(number, taken)
    }

    package static var ping: [UInt8] { LinkFrame.bytes(.ping, 0) }

    package static var pong: [UInt8] { LinkFrame.bytes(.pong, 0) }

    package static var leave: [UInt8] { LinkFrame.bytes(.leave, 0) }

    /// A piece that ``takeShared(_:_:)`` has counted for each of these streams.
    package static func frame(of piece: LinkPiece, for numbers: [UInt32]) -> [UInt8] {
        let isForOne = numbers.count == 1 && piece.others.isEmpty && piece.count <= LinkFrame.maxPieceBytes
        return isForOne ? LinkFrame.piece(numbers[0], piece.first) : LinkFrame.sharedPiece(numbers, piece)
    }
}

// Receiving.
extension LinkStreams {
    /// Takes a frame behind the proof.
    package mutating func receive(_ frame: LinkFrame) throws(LinkVersion.Failure) -> Event {
        switch frame {
        case .proof: throw .malformed
        case .start(let number, let head, let length, let piece): return try start(number, head, length, piece)
        case .piece(let number, let bytes): return try receive(number, bytes.count) ? .piece(number, bytes) : .none
        case .sharedPiece(let numbers, let bytes):
            for number in numbers { _ = try receive(number, bytes.count) }
            return .sharedPiece(numbers, bytes)
        case .end(let number):
            guard let place = place(number) else { return .none }
            guard places[place].hasBegun, places[place].rest < 0, !places[place].isReceived else { throw .malformed }
            places[place].isReceived = true
            removeIfOver(place)
            return .ended(number)
        case .cancel(let number):
            guard let place = place(number) else { return .none }
            remove(place)
            return .cancelled(number)
        case .credit(let number, let count): return try credit(number, count)
        case .ping: return .answerPing
        case .pong: return .none
        case .leave: return opens ? .leave : .none
        }
    }

    private mutating func start(
        _ number: UInt32, _ head: UnsafeRawBufferPointer, _ length: Int?, _ piece: UnsafeRawBufferPointer
    ) throws(LinkVersion.Failure) -> Event {
        if !opens { try begin(number, length) }
        guard let place = place(number) else { return .none }
        guard !places[place].hasBegun, piece.count <= length ?? 0 else { throw .malformed }
        places[place].hasBegun = true
        places[place].rest = length.map { $0 - piece.count } ?? -1
        places[place].allowance -= piece.count
        places[place].isReceived = places[place].rest == 0
        removeIfOver(place)
        return .started(number, head: head, bodyLength: length, piece: piece)
    }

    /// The other node begins a stream with a request, which has a length.
    private mutating func begin(_ number: UInt32, _ length: Int?) throws(LinkVersion.Failure) {
        let place = Self.place(number)
        guard number > 0xFFFF, length != nil, place <= places.count else { throw .malformed }
        if place == places.count { places.append(LinkStream(number: 0, last: 0)) }
        guard places[place].number == 0, places[place].last != number else { throw .malformed }
        places[place] = LinkStream(number: number, last: number)
        count += 1
    }

    /// - Returns: false if the stream is over.
    private mutating func receive(_ number: UInt32, _ byteCount: Int) throws(LinkVersion.Failure) -> Bool {
        guard let place = place(number) else { return false }
        guard places[place].hasBegun, !places[place].isReceived, places[place].allowance > 0 else { throw .malformed }
        places[place].allowance -= byteCount
        guard places[place].rest >= 0 else { return true }
        guard byteCount <= places[place].rest else { throw .malformed }
        places[place].rest -= byteCount
        places[place].isReceived = places[place].rest == 0
        removeIfOver(place)
        return true
    }

    private mutating func credit(_ number: UInt32, _ count: Int) throws(LinkVersion.Failure) -> Event {
        guard let place = place(number) else { return .none }
        guard count > 0, places[place].window + count <= Self.window else { throw .malformed }
        places[place].window += count
        guard places[place].waitingBytes > 0 else { return .none }
        let bytes = change(place) { $0.flush() }
        let isEmpty = places[place].waitingBytes == 0
        removeIfOver(place)
        return .writable(number, bytes, isEmpty: isEmpty)
    }
}

/// One request with its response, as one of the two nodes sees it.
private struct LinkStream: Sendable {
    /// 0 for a place that is free.
    let number: UInt32
    /// The newest number of this place.
    let last: UInt32
    /// How many bytes may be sent.
    var window = LinkStreams.window
    /// How many bytes may still come.
    var allowance = LinkStreams.window
    /// How many bytes were taken that the sender does not know of.
    var taken = 0
    /// The bytes that wait for the window, oldest first, and their length.
    var waiting: [ArraySlice<UInt8>] = []
    var waitingBytes = 0
    /// How many bytes of the body come; less than 0 if that is not known.
    var rest = 0
    /// Whether this node sends nothing more than what waits.
    var isSent = false
    /// Whether the end of the body follows behind what waits.
    var endsBehind = false
    var hasBegun = false
    var isReceived = false

    init(number: UInt32, last: UInt32) { (self.number, self.last) = (number, last) }

    var isOver: Bool { isSent && isReceived && waitingBytes == 0 }

    /// Whether a piece can be sent at once.
    var isFree: Bool { window > 0 && waitingBytes == 0 && !isSent }

    /// The frames of a message, as far as they may be sent.
    mutating func start(_ head: [UInt8], _ body: [UInt8]) -> [UInt8] {
        let piece = body.prefix(LinkFrame.maxPieceBytes)
        window -= piece.count
        isSent = true
        let bytes = LinkFrame.start(number, head, bodyLength: body.count, piece)
        guard piece.count < body.count else { return bytes }
        wait(body[piece.count...])
        return bytes + flush()
    }

    mutating func wait(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        waiting.append(bytes)
        waitingBytes += bytes.count
    }

    /// The frames of what may be sent.
    mutating func flush() -> [UInt8] {
        var bytes: [UInt8] = []
        var index = 0
        while window > 0, index < waiting.count {
            let piece = waiting[index].prefix(LinkFrame.maxPieceBytes)
            bytes += LinkFrame.piece(number, piece)
            window -= piece.count
            waitingBytes -= piece.count
            waiting[index] = waiting[index].dropFirst(piece.count)
            if waiting[index].isEmpty { index += 1 }
        }
        waiting.removeFirst(index)
        if endsBehind, waitingBytes == 0 {
            endsBehind = false
            bytes += LinkFrame.bytes(.end, number)
        }
        return bytes
    }
}

/// A piece of a body, without a copy of its bytes.
package struct LinkPiece: Sendable {
    let first: ArraySlice<UInt8>
    /// Empty for nearly all.
    let others: [[UInt8]]
    package let count: Int

    package init(_ bytes: ArraySlice<UInt8>) { (first, others, count) = (bytes, [], bytes.count) }

    package init(_ parts: [[UInt8]]) {
        // All empty arrays have one address.
        let parts = parts.filter { !$0.isEmpty }
        first = (parts.first ?? [])[...]
        others = Array(parts.dropFirst())
        count = parts.reduce(0) { $0 + $1.count }
    }

    /// Where a piece of one array is in memory: no other one is there as long as the piece is kept. Nil for several arrays.
    package var address: UnsafeRawPointer? {
        others.isEmpty ? first.withUnsafeBytes(\.baseAddress) : nil
    }

    /// Whether these are the same arrays, and not only equal ones.
    package func isSame(as other: LinkPiece) -> Bool {
        guard count == other.count, others.count == other.others.count, Self.isSame(first, other.first) else {
            return false
        }
        return zip(others, other.others).allSatisfy { Self.isSame($0[...], $1[...]) }
    }

    private static func isSame(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        one.withUnsafeBytes { own in
            other.withUnsafeBytes { $0.baseAddress == own.baseAddress && $0.count == own.count }
        }
    }
}
