import HTTP
import Locks
import Platform
import Sockets
import Synchronization

/// The connections of one event loop.
package final class ConnectionManager: Sendable {
    let loop: any EventLoop
    let settings: HTTPServer.Settings
    let handler: any RequestHandler
    private let count: ConnectionCount
    private let contents: LoopBound<Contents>

    private final class Contents {
        var listener: Listener?
        var open: [ObjectIdentifier: HTTPConnection] = [:]
        var isDraining = false
        var onDrained: (() -> Void)?
        var date: (second: Int, bytes: [UInt8]) = (0, [])
    }

    init(loop: any EventLoop, settings: HTTPServer.Settings, count: ConnectionCount, handler: any RequestHandler) {
        self.loop = loop
        self.settings = settings
        self.count = count
        self.handler = handler
        contents = LoopBound(handing: Contents(), to: loop.anchor)
    }

    func listen(_ socket: ListeningSocket) {
        loop.execute { [self] in
            // A loop that cannot watch its first descriptor cannot serve; the other loops may.
            contents.value.listener = try? Listener(
                socket, on: loop,
                mayAccept: { [self] in count.value.load(ordering: .relaxed) < settings.maxConnections },
                accepted: { [self] in accept($0) })
        }
    }

    private func accept(_ socket: AcceptedSocket) {
        let connection = HTTPConnection(self)
        guard let channel = try? Channel(owning: socket.descriptor, on: loop, delegate: connection) else { return }
        channel.budget = settings.output
        connection.start(on: channel)
        contents.value.open[ObjectIdentifier(connection)] = connection
        count.value.add(1, ordering: .relaxed)
    }

    /// Forgets a connection whose channel is closed.
    func remove(_ connection: HTTPConnection) {
        guard contents.value.open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        count.value.subtract(1, ordering: .relaxed)
        finishDrainIfEmpty()
    }

    var isDraining: Bool { contents.value.isDraining }

    /// The current Date field, formatted once a second.
    var date: [UInt8] {
        let contents = contents.value
        let second = time(nil)
        if contents.date.second != second { contents.date = (second, HTTPDate(unixTime: second).bytes) }
        return contents.date.bytes
    }
}

// Draining.
extension ConnectionManager {
    /// Returns when no connection is left. After `timeout` the remaining ones are closed.
    ///
    /// - Parameter loops: how many loops drain.
    func drain(within timeout: Duration, loops: Int) async {
        await withCheckedContinuation { continuation in
            let isRunning = loop.execute { [self] in
                startDrain(within: timeout, loops: loops) { continuation.resume() }
            }
            if !isRunning { continuation.resume() }
        }
    }

    private func startDrain(within timeout: Duration, loops: Int, _ onDrained: @escaping () -> Void) {
        let contents = contents.value
        contents.isDraining = true
        contents.onDrained = onDrained
        for connection in contents.open.values { connection.drain() }
        let streams = contents.open.values.filter(\.machine.isStreaming)
        let schedule = DrainSchedule(streamCount: streams.count, timeout: timeout)
        // The loops have about the same number of streams.
        end(streams[...], among: streams.count * loops, schedule)
        finishDrainIfEmpty()
        _ = loop.schedule(after: schedule.respondsAfter) { [self] in
            for connection in self.contents.value.open.values { connection.sendDeferredResponse() }
        }
        _ = loop.schedule(after: schedule.closesAfter) { [self] in
            // A client that reconnects at once for each closed connection would hold up the drain.
            self.contents.value.listener?.close()
            for connection in self.contents.value.open.values { connection.closeNow() }
        }
    }

    /// Ends the streams batch by batch.
    private func end(_ streams: ArraySlice<HTTPConnection>, among count: Int, _ schedule: DrainSchedule) {
        for connection in streams.prefix(schedule.batchSize) { connection.stream?.streamShouldEnd(among: count) }
        let others = streams.dropFirst(schedule.batchSize)
        guard !others.isEmpty else { return }
        _ = loop.schedule(after: DrainSchedule.interval) { [self] in end(others, among: count, schedule) }
    }

    private func finishDrainIfEmpty() {
        let contents = contents.value
        guard contents.isDraining, contents.open.isEmpty, let onDrained = contents.onDrained.take() else { return }
        contents.listener?.close()
        onDrained()
    }
}

// Slow clients.
extension ConnectionManager {
    /// Disconnects the slow clients of this loop that hold most, and then calls `done` on the loop.
    func disconnectSlowClients(done: @escaping @Sendable () -> Void) {
        loop.execute { [self] in
            let open = Array(contents.value.open.values)
            let output = settings.output
            let excess = SlowClientDisconnector.excess(of: output.pendingBytes, limit: output.limit)
            let slow = SlowClientDisconnector.choose(
                from: open.map { SlowClient(heldBytes: $0.heldBytes, stalledTime: $0.stalledTime) },
                excess: excess)
            for index in slow { open[index].closeNow() }
            output.countDisconnected(slow.count)
            done()
        }
    }
}

/// How many connections all loops have together.
package final class ConnectionCount: Sendable {
    let value = Atomic<Int>(0)
}

/// The schedule of a drain: streams end, then deferred responses are sent, then the remaining connections are closed.
///
/// Up to 100 streams end at once. More end in batches, within a quarter of the timeout, so that their clients do not all
/// reconnect to another server at the same moment.
package struct DrainSchedule: Sendable {
    /// The time between two batches of streams.
    package static var interval: Duration { .milliseconds(20) }

    private static var maxAtOnce: Int { 100 }

    /// How many streams end in each batch.
    package let batchSize: Int
    /// Responses that are deferred until effects end are sent after this time, so that they still reach their clients.
    package let respondsAfter: Duration
    /// The remaining connections are closed after this time.
    package let closesAfter: Duration

    /// - Parameters:
    ///   - streamCount: how many streams the loop has.
    ///   - timeout: how long the drain may take.
    package init(streamCount: Int, timeout: Duration) {
        let time = min(timeout / 4, .milliseconds(streamCount))
        let batches = max(1, Int(time / Self.interval))
        batchSize =
            streamCount <= Self.maxAtOnce ? max(1, streamCount) : (streamCount + batches - 1) / batches
        respondsAfter = timeout * 0.8
        closesAfter = timeout
    }
}
