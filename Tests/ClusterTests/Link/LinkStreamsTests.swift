import Cluster
import Testing

/// Both ends of a connection, without a network.
struct LinkStreamsTests {
    private struct Node {
        var streams: LinkStreams
        private var reader = LinkFrameReader()
        var events: [String] = []
        var bodies: [UInt32: [UInt8]] = [:]
        /// Whether bytes count as taken when they come.
        var takes = true

        init(opens: Bool) { streams = LinkStreams(opens: opens) }

        /// - Returns: what it sends in return.
        mutating func receive(_ bytes: [UInt8]) throws -> [UInt8] {
            var (reader, reply): (LinkFrameReader, [UInt8]) = (self.reader, [])
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(LinkVersion.Failure) in
                    try reader.read(bytes) { frame throws(LinkVersion.Failure) in
                        take(try streams.receive(frame), &reply)
                        return true
                    }
                }
            }
            self.reader = reader
            try result.get()
            return reply
        }

        private mutating func take(_ event: LinkStreams.Event, _ reply: inout [UInt8]) {
            switch event {
            case .started(let number, let head, let length, let piece):
                events.append("\(String(decoding: head, as: UTF8.self)) \(length.map(String.init) ?? "-")")
                bodies[number] = Array(piece)
                if takes { reply += streams.take(number, piece.count) }
            case .piece(let number, let piece): add(piece, to: number, &reply)
            case .sharedPiece(let numbers, let piece):
                events.append("for \(numbers.count)")
                for number in numbers { add(piece, to: number, &reply) }
            case .ended: events.append("end")
            case .cancelled: events.append("cancel")
            case .writable(_, let bytes, let isEmpty):
                if isEmpty { events.append("empty") }
                reply += bytes
            case .answerPing: reply += LinkStreams.pong
            case .leave: events.append("leave")
            case .none: break
            }
        }

        private mutating func add(_ piece: UnsafeRawBufferPointer, to number: UInt32, _ reply: inout [UInt8]) {
            bodies[number, default: []] += piece
            if takes { reply += streams.take(number, piece.count) }
        }
    }

    private var (caller, owner) = (Node(opens: true), Node(opens: false))

    /// Delivers bytes and what follows from them.
    private mutating func exchange(toOwner bytes: [UInt8]) throws {
        var (there, back): ([UInt8], [UInt8]) = (bytes, [])
        while !there.isEmpty || !back.isEmpty {
            back += try owner.receive(there)
            there = try caller.receive(back)
            back = []
        }
    }

    private mutating func exchange(toCaller bytes: [UInt8]) throws {
        try exchange(toOwner: try caller.receive(bytes))
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test mutating func requestsAreAnsweredInAnyOrder() throws {
        let (first, a) = caller.streams.open(Self.text("a"), [])
        let (second, b) = caller.streams.open(Self.text("b"), Self.text("body"))
        #expect(first != second)
        try exchange(toOwner: a + b)
        #expect(owner.events == ["a 0", "b 4"])
        try exchange(toCaller: owner.streams.respond(second, Self.text("B"), Self.text("2")))
        try exchange(toCaller: owner.streams.respond(first, Self.text("A"), []))
        #expect(caller.events == ["B 1", "A 0"])
        #expect(caller.bodies == [second: Self.text("2"), first: []])
        #expect(caller.streams.isEmpty && owner.streams.isEmpty)
        // The place of a stream is used again, and its number is not.
        let numbers = (0..<3).map { _ in
            let (number, bytes) = caller.streams.open([], [])
            _ = caller.streams.cancel(number)
            #expect(!bytes.isEmpty)
            return number
        }
        #expect(Set(numbers + [first, second]).count == 5)
        #expect(numbers.allSatisfy { LinkStreams.place($0) <= 1 })
    }

    @Test mutating func longBodiesGoBothWaysInPiecesOfTheWindow() throws {
        let long = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let (number, bytes) = caller.streams.open(Self.text("a"), long)
        // So much is sent before the other end has taken anything.
        #expect(bytes.count < LinkStreams.window + LinkFrame.maxPieceBytes)
        try exchange(toOwner: bytes)
        #expect(owner.bodies[number] == long)
        try exchange(toCaller: owner.streams.respond(number, Self.text("A"), long))
        #expect(caller.bodies[number] == long)
        #expect(caller.streams.isEmpty && owner.streams.isEmpty)
    }

    @Test mutating func aReaderThatTakesNothingStopsItsOwnStreamOnly() throws {
        let (slow, a) = caller.streams.open(Self.text("a"), [])
        let (fast, b) = caller.streams.open(Self.text("b"), [])
        try exchange(toOwner: a + b)
        try exchange(toCaller: owner.streams.startBody(slow, Self.text("A")))
        try exchange(toCaller: owner.streams.startBody(fast, Self.text("B")))
        caller.takes = false
        let piece = [UInt8](repeating: 1, count: 50_000)
        try exchange(toCaller: owner.streams.send(slow, LinkPiece(piece[...])))
        // The window has 15 536 bytes left, and takes one more piece, which is longer.
        try exchange(toCaller: owner.streams.send(slow, LinkPiece(piece[...])))
        let third = owner.streams.send(slow, LinkPiece(piece[...]))
        #expect(third.isEmpty)
        #expect(owner.streams.waitingBytes(slow) == 50_000)
        let isShared = owner.streams.takeShared(slow, 1)
        #expect(!isShared)
        caller.takes = true
        for _ in 0..<10 { try exchange(toCaller: owner.streams.send(fast, LinkPiece(piece[...]))) }
        #expect(owner.streams.waitingBytes(fast) == 0)
        #expect(caller.bodies[fast]?.count == 500_000)
        let end = owner.streams.end(slow)
        #expect(end.isEmpty, "the end comes behind what waits")
        try exchange(toOwner: caller.streams.take(slow, 100_000))
        #expect(caller.bodies[slow]?.count == 150_000)
        #expect(caller.events.last == "end")
        #expect(owner.events.contains("empty"))
    }

    @Test mutating func whatWaitsIsCountedUntilItIsTakenOrForgotten() throws {
        caller.takes = false
        var numbers: [UInt32] = []
        for _ in 0..<3 {
            let (number, bytes) = caller.streams.open([], [])
            numbers.append(number)
            try exchange(toOwner: bytes)
        }
        let body = [UInt8](repeating: 1, count: LinkStreams.window + 1000)
        try exchange(toCaller: owner.streams.respond(numbers[0], [], body))
        #expect(owner.streams.waitingBytes == 1000)
        for number in numbers[1...] {
            try exchange(toCaller: owner.streams.startBody(number, []))
            for _ in 0..<2 { try exchange(toCaller: owner.streams.send(number, LinkPiece(body[...]))) }
        }
        let waiting = owner.streams.waitingBytes
        #expect(waiting == numbers.reduce(0) { $0 + owner.streams.waitingBytes($1) })
        #expect(waiting > 1000 + 2 * LinkStreams.window)
        _ = owner.streams.cancel(numbers[1])
        #expect(owner.streams.waitingBytes == 1000 + owner.streams.waitingBytes(numbers[2]))
        caller.takes = true
        try exchange(toOwner: caller.streams.take(numbers[0], LinkStreams.window))
        try exchange(toOwner: caller.streams.take(numbers[2], LinkStreams.window))
        #expect(owner.streams.waitingBytes == 0)
    }

    @Test mutating func aPieceForManyStreamsIsSentOnce() throws {
        var (numbers, bytes): ([UInt32], [UInt8]) = ([], [])
        for _ in 0..<100 {
            let (number, opening) = caller.streams.open(Self.text("a"), [])
            numbers.append(number)
            bytes += opening
        }
        try exchange(toOwner: bytes)
        for number in numbers { try exchange(toCaller: owner.streams.startBody(number, [])) }
        let event = [UInt8](repeating: 7, count: 10_000)
        for number in numbers {
            let isTaken = owner.streams.takeShared(number, event.count)
            #expect(isTaken)
        }
        let piece = LinkStreams.frame(of: LinkPiece(event[...]), for: numbers)
        #expect(piece.count < event.count + 500)
        // Streams that have left meanwhile do not get it.
        _ = caller.streams.cancel(numbers[0])
        try exchange(toCaller: piece)
        #expect(numbers.dropFirst().allSatisfy { caller.bodies[$0] == event })
        #expect(caller.events.last == "for 100")
    }

    @Test func piecesOfDifferentArraysAreNotTheSame() {
        let (one, other) = ([UInt8](repeating: 1, count: 99), [UInt8](repeating: 2, count: 99))
        for (left, right) in [([[], one, []], [[], other, []]), ([one, one], [one, other]), ([one], [one, one])] {
            #expect(LinkPiece(left).isSame(as: LinkPiece(left)))
            #expect(!LinkPiece(left).isSame(as: LinkPiece(right)))
        }
        #expect(LinkPiece([[], one, []]).address != LinkPiece([[], other, []]).address)
        #expect(LinkPiece([one, other]).address == nil)
    }

    @Test mutating func aCancelledStreamIsForgottenByBoth() throws {
        let (number, bytes) = caller.streams.open(Self.text("a"), [])
        try exchange(toOwner: bytes)
        try exchange(toOwner: caller.streams.cancel(number))
        #expect(owner.events == ["a 0", "cancel"])
        let response = owner.streams.respond(number, [], [])
        #expect(response.isEmpty)
        #expect(owner.streams.isEmpty)
        let second = caller.streams.cancel(number)
        #expect(second.isEmpty)
        // An answer that was on its way finds nothing, also if the place is used again.
        let late = LinkFrame.start(number, Self.text("A"), bodyLength: 0, [])
        _ = caller.streams.open(Self.text("b"), [])
        try exchange(toCaller: late)
        #expect(caller.events.isEmpty)
    }

    @Test mutating func aPingIsAnsweredAndALeavingNodeSaysSo() throws {
        let (pong, none) = (try owner.receive(LinkStreams.ping), try caller.receive(LinkStreams.leave))
        #expect(pong == LinkStreams.pong)
        #expect(none.isEmpty)
        #expect(caller.events == ["leave"])
    }

    /// Frames that no node sends.
    private static let malformed: [(String, @Sendable (UInt32) -> [UInt8])] = [
        ("a second proof", { _ in LinkFrame.proof("p") }),
        ("a request without a length", { LinkFrame.start($0 + 1, [], bodyLength: nil, []) }),
        ("a number without a use", { _ in LinkFrame.start(5, [], bodyLength: 0, []) }),
        ("a place far away", { LinkFrame.start($0 + 7, [], bodyLength: 0, []) }),
        ("a stream that begins twice", { LinkFrame.start($0, [], bodyLength: 0, []) }),
        ("more than its body", { LinkFrame.piece($0, [1, 2, 3, 4][...]) }),
        ("a long first piece", { LinkFrame.start($0 + 1, [], bodyLength: 1, [1, 2][...]) }),
    ]

    @Test(arguments: malformed.indices)
    mutating func nothingElseIsTaken(_ index: Int) throws {
        let body = [UInt8](repeating: 0, count: LinkFrame.maxPieceBytes + 3)
        let (number, bytes) = caller.streams.open(Self.text("a"), body)
        _ = try owner.receive(bytes)
        #expect(owner.events == ["a 65539"])
        var node = owner
        #expect(throws: LinkVersion.Failure.malformed, "\(Self.malformed[index].0)") {
            _ = try node.receive(Self.malformed[index].1(number))
        }
    }

    @Test mutating func whoSendsMoreThanTheWindowIsNotHeard() throws {
        owner.takes = false
        let (number, bytes) = caller.streams.open(Self.text("a"), [UInt8](repeating: 0, count: 200_000))
        let reply = try owner.receive(bytes)
        #expect(reply.isEmpty)
        var node = owner
        #expect(throws: LinkVersion.Failure.malformed) { _ = try node.receive(LinkFrame.piece(number, [1][...])) }
    }
}
