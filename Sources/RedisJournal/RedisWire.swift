import Journal
import Platform
import StoreHosting

/// The bytes of one connection in both directions. Only one thread at a time uses it.
final class RedisWire {
    /// How many writes may wait for their replies. Commands that come meanwhile are sent in one write, once the server
    /// has answered an earlier write: fewer and larger writes cost both sides less.
    private static let maxWrites = 4

    let socket: RedisSocket
    private let reader: RedisReplyReader
    /// How many replies came.
    private var replyCount = 0
    /// How many replies will have come when all that was written is answered.
    private var owedCount = 0
    /// When commands were written, and how many replies there are once they are answered.
    private var writes: [(at: ContinuousClock.Instant, replyCount: Int)] = []
    /// The bytes of the write in progress, and how many of them are sent.
    private var output: [UInt8] = []
    private var sentCount = 0
    /// When the server was last heard, or began to owe an answer.
    private(set) var lastSign = ContinuousClock.now
    /// When the pipeline was last empty as commands were sent.
    private var sendStart: ContinuousClock.Instant?

    init(_ socket: RedisSocket) throws(StorageError) {
        self.socket = socket
        reader = try RedisReplyReader()
    }

    /// Whether a part of the last write is not sent yet.
    var hasOutput: Bool { sentCount < output.count }

    /// Whether commands can be sent as soon as they come.
    var canSend: Bool { !hasOutput && writes.count < Self.maxWrites }

    /// Sends as much as fits now.
    func send(from pipeline: inout RedisPipeline) throws(RedisSocket.Failure) {
        while true {
            if !hasOutput {
                guard pipeline.hasUnsent, canSend else { return }
                let now = ContinuousClock.now
                if !pipeline.isWaiting { (lastSign, sendStart) = (now, now) }
                output.removeAll(keepingCapacity: output.capacity <= 1 << 17)
                sentCount = 0
                owedCount += pipeline.take(into: &output)
                writes.append((now, owedCount))
            }
            sentCount += try socket.send(output[sentCount...])
            if hasOutput { return }
        }
    }

    /// Receives what has arrived.
    ///
    /// - Returns: whether there may be more.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Bool {
        guard let count = try socket.receive(into: buffer) else { return false }
        try reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return count == buffer.count
    }

    /// The next reply that has come completely; nil if none has.
    ///
    /// - Parameter latency: gets the time from a write to the last reply to it.
    func nextReply(_ latency: DurationObserver) throws(RedisReplyReader.Malformed) -> RedisReply? {
        guard let reply = try reader.next() else { return nil }
        replyCount += 1
        if let write = writes.first, write.replyCount <= replyCount {
            writes.removeFirst()
            latency.call(ContinuousClock.now - write.at)
        }
        return reply
    }

    /// Replies were used, which takes time too.
    func hasHeard() { lastSign = .now }

    /// How long it has taken to write all that was sent, if that is all answered now.
    func takeDuration(_ pipeline: borrowing RedisPipeline) -> Duration? {
        guard let start = sendStart, !pipeline.isWaiting else { return nil }
        sendStart = nil
        return ContinuousClock.now - start
    }
}
