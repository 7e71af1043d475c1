import Journal
import Platform
import Sockets
import StoreHosting
import Synchronization

/// The open connection of a lane.
struct RedisLink {
    /// The replies that have come.
    struct Received {
        var step = RedisPipeline.Step()
        /// How long the writes took that are answered now; nil if some are not.
        var duration: Duration?
        /// Why the lane has to be closed.
        var failure: String?
    }

    let connection: RedisConnection
    private let wire: RedisWire
    var pipeline: RedisPipeline
    private var awaitsRoom = false

    var socket: RedisSocket { wire.socket }

    /// The events that it waits for.
    var interest: Interest { awaitsRoom ? [.readable, .writable] : .readable }

    /// - Returns: nil if there is no memory.
    init?(_ socket: RedisSocket, _ connection: RedisConnection, counting count: RedisCommand?) {
        guard let wire = try? RedisWire(socket) else { return nil }
        (self.wire, self.connection) = (wire, connection)
        pipeline = RedisPipeline(count: count)
    }

    mutating func append(_ requests: [any RedisRequest]) { for request in requests { pipeline.append(request) } }

    /// Whether the server has not answered for so long, or a command is past its deadline.
    func isLate(_ timeout: Duration, _ now: ContinuousClock.Instant) -> Bool {
        pipeline.isWaiting && now - wire.lastSign > timeout || pipeline.nextDeadline.map { $0 <= now } ?? false
    }

    /// - Returns: the parts to close, and the commands that are not completed.
    mutating func ended() -> (RedisSocket, RedisConnection, [RedisPipeline.Item]) {
        (socket, connection, pipeline.giveBack())
    }

    /// Sends as much as fits now, and has the loop wait for room for the rest.
    mutating func send(on loop: any EventLoop) throws(RedisSocket.Failure) {
        try wire.send(from: &pipeline)
        guard wire.hasOutput != awaitsRoom else { return }
        awaitsRoom = wire.hasOutput
        loop.update(socket.descriptor, interest)
    }

    /// Takes the replies that have come completely, also if bytes behind them are none.
    mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> Received {
        var received = Received()
        do {
            _ = try wire.receive(into: buffer)
            while !received.step.mustReconnect, let reply = try wire.nextReply(connection.latencyObserver) {
                pipeline.receive(reply, &received.step)
            }
            wire.hasHeard()
            if received.step.mustReconnect {
                received.failure = received.step.problem ?? "it does not answer as expected"
            }
        } catch let failure as RedisSocket.Failure {
            received.failure = failure.detail
        } catch {
            received.failure = "it does not speak the protocol of Redis"
        }
        if received.step.hasWritten { received.duration = wire.takeDuration(pipeline) }
        return received
    }
}
