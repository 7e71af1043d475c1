package import Platform

/// Many channels over one connection, so that the bytes they send in one turn of the loop share a system call. On the loop only.
///
/// One end opens channels, and the other end accepts them. A frame has the number of its channel and the length of its bytes, each in
/// 32 bits in network byte order, and then the bytes. A frame without bytes closes its channel. Numbers grow and are never used
/// again, so that a late frame finds no other channel.
///
/// No channel waits for another one, because each frame is delivered when it arrives. There is no flow control: a channel
/// that is not read closes when ``Channel/maxUnconsumedBytes`` wait for it.
package final class ChannelMultiplexer: ChannelCarrier {
    private static let headerBytes = 8
    /// How many channels the other end may open.
    private static let maxChannels = 1024

    private let loop: any EventLoop
    private let write: ([UInt8]) -> Void
    /// Is called when the last channel has closed.
    private let emptied: () -> Void
    /// Nil if the other end may open none.
    private let accept: ((Channel) -> Void)?
    private var channels: [Int32: Channel] = [:]
    private var newest: Int32 = 0
    /// The first bytes of a header that has not arrived completely.
    private var partialHeader: [UInt8] = []
    /// The channel of the frame in progress, and how many of its bytes have not arrived.
    private var frame: (channel: Int32, rest: Int) = (0, 0)

    /// - Parameters:
    ///   - write: sends bytes over the connection, together with others that follow in the same turn.
    ///   - accept: gives a delegate to a channel that the other end has opened; nil if it may open none.
    package init(
        on loop: any EventLoop, write: @escaping ([UInt8]) -> Void, emptied: @escaping () -> Void,
        accept: ((Channel) -> Void)? = nil
    ) {
        self.loop = loop
        self.write = write
        self.emptied = emptied
        self.accept = accept
    }

    package var isEmpty: Bool { channels.isEmpty }

    package var count: Int { channels.count }

    /// Opens a channel. The other end learns of it with its first bytes.
    package func open(_ delegate: any ChannelDelegate) -> Channel {
        let channel = add(newest + 1)
        channel.delegate = delegate
        return channel
    }

    private func add(_ number: Int32) -> Channel {
        newest = number
        let channel = Channel(number: number, of: self, on: loop)
        channels[number] = channel
        return channel
    }

    /// Takes bytes that have arrived over the connection.
    ///
    /// - Returns: false if they are no frames, and the connection must be closed.
    package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            if frame.rest == 0 {
                guard let header = takeHeader(&rest) else { return true }
                guard begin(header) else { return false }
            }
            let count = min(frame.rest, rest.count)
            guard count > 0 else { continue }
            frame.rest -= count
            channels[frame.channel]?.receive(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// The next header, as one number; nil if it is incomplete.
    private func takeHeader(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> UInt64? {
        let piece = bytes.prefix(Self.headerBytes - partialHeader.count)
        bytes = bytes.dropFirst(piece.count)
        if piece.count == Self.headerBytes {
            return UInt64(bigEndian: UnsafeRawBufferPointer(rebasing: piece).loadUnaligned(as: UInt64.self))
        }
        partialHeader += piece
        guard partialHeader.count == Self.headerBytes else { return nil }
        defer { partialHeader = [] }
        return partialHeader.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func begin(_ header: UInt64) -> Bool {
        guard let number = Int32(exactly: header >> 32), number > 0 else { return false }
        frame = (number, Int(header & 0xffff_ffff))
        if frame.rest == 0 {
            close(number)
        } else if number > newest {
            guard let accept, channels.count < Self.maxChannels else { return false }
            accept(add(number))
        }
        return true
    }

    /// The other end has closed a channel, which this one may have closed too.
    private func close(_ number: Int32) {
        newest = max(newest, number)
        guard let channel = channels.removeValue(forKey: number) else { return }
        channel.close(.reset)
        if channels.isEmpty { emptied() }
    }

    /// Takes the first bytes of the first channel, which came before the frames.
    package func receiveFirst(_ bytes: UnsafeRawBufferPointer) {
        let channel = add(newest + 1)
        accept?(channel)
        channel.receive(bytes)
    }

    /// The connection is closed, and so are its channels.
    package func connectionClosed() {
        let open = channels.values
        channels = [:]
        for channel in open { channel.close(.reset) }
    }
}

// For its channels.
extension ChannelMultiplexer {
    package func send(_ parts: UnsafeMutableBufferPointer<iovec>, on channel: Channel) -> Int {
        let count = parts.reduce(0) { $0 + Int($1.iov_len) }
        write(frame(channel.descriptor, parts, count))
        return count
    }

    /// Tells the other end, unless that has closed the channel.
    package func closed(_ channel: Channel) {
        guard channels.removeValue(forKey: channel.descriptor) != nil else { return }
        write(frame(channel.descriptor, UnsafeMutableBufferPointer(start: nil, count: 0), 0))
        if channels.isEmpty { emptied() }
    }

    private func frame(_ number: Int32, _ parts: UnsafeMutableBufferPointer<iovec>, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.headerBytes + count) { output, used in
            let output = UnsafeMutableRawBufferPointer(output)
            output.storeBytes(of: (UInt64(UInt32(number)) << 32 | UInt64(UInt32(count))).bigEndian, as: UInt64.self)
            used = Self.headerBytes
            for part in parts {
                let bytes = UnsafeRawBufferPointer(start: part.iov_base, count: Int(part.iov_len))
                UnsafeMutableRawBufferPointer(rebasing: output[used...]).copyMemory(from: bytes)
                used += bytes.count
            }
        }
    }
}
