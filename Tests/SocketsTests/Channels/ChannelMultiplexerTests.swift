import Locks
import Sockets
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChannelMultiplexerTests {
    /// A multiplexer with the bytes that it has sent, and the bytes that its channels have received. On the loop only.
    private final class End {
        var sent: [UInt8] = []
        var emptied = 0
        /// By the order in which the channels were accepted.
        var received: [String] = []
        var accepted: [Channel] = []
        var closed: [Int] = []
        private(set) var multiplexer: ChannelMultiplexer?

        init(on loop: any EventLoop, accepts: Bool = true, isPaused: Bool = false) {
            let accept: (Channel) -> Void = { [weak self] channel in
                guard let self else { return }
                let index = received.count
                received.append("")
                accepted.append(channel)
                channel.delegate = delegate(index)
                channel.maxUnconsumedBytes = 3
                if isPaused { channel.pauseReading() }
            }
            multiplexer = ChannelMultiplexer(
                on: loop, write: { [weak self] in self?.sent += $0 }, emptied: { [weak self] in self?.emptied += 1 },
                accept: accepts ? accept : nil)
        }

        func delegate(_ index: Int) -> ScriptedDelegate {
            let delegate = ScriptedDelegate()
            delegate.onReceived = { [weak self] _, bytes in
                self?.received[index] += String(decoding: bytes, as: UTF8.self)
                return bytes.count
            }
            delegate.onClosed = { [weak self] _ in self?.closed.append(index) }
            return delegate
        }

        func receive(_ bytes: [UInt8]) -> Bool {
            bytes.withUnsafeBytes { multiplexer?.receive($0) ?? false }
        }
    }

    private static func frame(_ number: UInt32, _ text: String = "") -> [UInt8] {
        let length = UInt32(text.utf8.count)
        return [number, length].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
            + Array(text.utf8)
    }

    private func onLoop<Result: Sendable>(
        _ job: @escaping @Sendable (any EventLoop) -> Result
    ) async throws -> Result {
        let probe = Probe<Result>()
        try await withLoop(.dispatchSource) { loop in loop.execute { probe.note(job(loop)) } }
        return try #require(await probe.next())
    }

    @Test(arguments: [1, 3, 8, 9, 1000])
    func bytesReachTheirChannelsInWhateverPiecesTheyArrive(_ size: Int) async throws {
        let received = try await onLoop { loop in
            let (near, far) = (End(on: loop, accepts: false), End(on: loop))
            let channels = (0..<2).compactMap { _ in near.multiplexer?.open(ScriptedDelegate()) }
            channels[0].write(Array("first".utf8))
            channels[1].write(Array("second".utf8))
            channels[0].write(Array(" again".utf8))
            for start in stride(from: 0, to: near.sent.count, by: size) {
                _ = far.receive(Array(near.sent[start..<min(start + size, near.sent.count)]))
            }
            return far.received
        }
        #expect(received == ["first again", "second"])
    }

    @Test func aFrameHasItsChannelAndItsLength() async throws {
        let sent = try await onLoop { loop in
            let near = End(on: loop, accepts: false)
            let channels = (0..<2).compactMap { _ in near.multiplexer?.open(ScriptedDelegate()) }
            channels[1].cork()
            channels[1].write(Array("a".utf8))
            channels[1].write(Array("bc".utf8))
            channels[1].uncork()
            channels[0].closeNow()
            return near.sent
        }
        #expect(sent == Self.frame(2, "abc") + Self.frame(1))
    }

    @Test func aChannelThatIsClosedGetsNothingAndItsNumberIsNotUsedAgain() async throws {
        let (received, sent, emptied, count) = try await onLoop { loop in
            let near = End(on: loop, accepts: false)
            near.received = ["", ""]
            let first = near.multiplexer?.open(near.delegate(0))
            first?.closeNow()
            _ = near.multiplexer?.open(near.delegate(1)).write([0x61])
            _ = near.receive(Self.frame(1, "late") + Self.frame(2, "b"))
            return (near.received, near.sent, near.emptied, near.multiplexer?.count)
        }
        #expect(received == ["", "b"])
        #expect(sent == Self.frame(1) + Self.frame(2, "a"))
        #expect(emptied == 1)
        #expect(count == 1)
    }

    @Test func theOtherEndClosesAChannelAndGetsNoFrameForThat() async throws {
        let closed = Probe<[Int]>()
        try await withLoop(.dispatchSource) { loop in
            let sent = await loop.run {
                let far = End(on: loop)
                let isFine = far.receive(Self.frame(1, "a") + Self.frame(2, "b") + Self.frame(1) + Self.frame(7))
                // The delegate is notified at the end of this turn.
                loop.atEndOfTurn {
                    closed.note(far.closed)
                    far.multiplexer?.connectionClosed()
                    loop.atEndOfTurn { closed.note(far.closed) }
                }
                return isFine && far.emptied == 0 ? far.sent : nil
            }
            #expect(sent == [])
            #expect(await closed.next(2) == [[0], [0, 1]])
        }
    }

    /// The last one is that of a channel, which this end does not accept.
    @Test(arguments: [0, UInt32.max, 1])
    func whatIsNoFrameIsRefused(_ number: UInt32) async throws {
        let isFine = try await onLoop { loop in End(on: loop, accepts: false).receive(Self.frame(number, "a")) }
        #expect(!isFine)
    }

    @Test func thereIsALimitOfChannels() async throws {
        let opened = try await onLoop { loop in
            let far = End(on: loop)
            return (1...2000).prefix { far.receive(Self.frame(UInt32($0), "a")) }.count
        }
        #expect(opened == 1024)
    }

    @Test func aChannelThatIsNotReadClosesAtItsLimitAndTheOthersGoOn() async throws {
        let (sent, received) = try await onLoop { loop in
            let far = End(on: loop, isPaused: true)
            _ = far.receive(Self.frame(1, "") + Self.frame(2, "a") + Self.frame(3, "b"))
            far.accepted[1].resumeReading()
            _ = far.receive(Self.frame(2, "aa") + Self.frame(3, "b") + Self.frame(2, "a"))
            return (far.sent, far.received)
        }
        #expect(sent == Self.frame(2))
        #expect(received == ["", "bb"])
    }

    /// A socket that preserves records shows each system call.
    @Test func whatChannelsSendInOneTurnSharesASystemCall() async throws {
        let pair = SocketPair(records: true)
        try await withLoop(.epoll) { loop in
            let drained = Probe<Void>()
            loop.execute {
                let delegate = ScriptedDelegate()
                delegate.onDrained = { _ in drained.note(()) }
                guard let socket = try? Channel(owning: pair.theirs, on: loop, delegate: delegate) else { return }
                let multiplexer = ChannelMultiplexer(on: loop, write: { socket.writeSoon($0) }, emptied: {})
                for _ in 0..<3 { multiplexer.open(ScriptedDelegate()).writeSoon([0x61]) }
            }
            await drained.next()
            let frames = (1...3).flatMap { Self.frame($0, "a") }
            #expect(pair.received() == [String(decoding: frames, as: UTF8.self)])
        }
    }
}
