import HTTP
import Locks
import Platform
import Sockets
import Synchronization

/// The connections of one loop.
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
        var drained: (() -> Void)?
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
            // A loop that cannot watch its first descriptor cannot serve; the others may.
            contents.value.listener = try? Listener(
                socket, on: loop,
                mayAccept: { [self] in count.value.load(ordering: .relaxed) < settings.maxConnections },
                accepted: { [self] in accept($0) })
        }
    }

    private func accept(_ socket: AcceptedSocket) {
        let connection = HTTPConnection(self)
        guard let channel = try? Channel(owning: socket.descriptor, on: loop, delegate: connection) else { return }
        connection.start(on: channel)
        contents.value.open[ObjectIdentifier(connection)] = connection
        count.value.add(1, ordering: .relaxed)
    }

    func forget(_ connection: HTTPConnection) {
        guard contents.value.open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        count.value.subtract(1, ordering: .relaxed)
        tellIfDrained()
    }

    var isDraining: Bool { contents.value.isDraining }

    /// The Date field of now, written once a second.
    var date: [UInt8] {
        let contents = contents.value
        let second = time(nil)
        if contents.date.second != second { contents.date = (second, HTTPDate(unixTime: second).bytes) }
        return contents.date.bytes
    }

    func drain(within deadline: Duration) async {
        await withCheckedContinuation { continuation in
            let isRunning = loop.execute { [self] in
                let contents = contents.value
                contents.isDraining = true
                contents.drained = { continuation.resume() }
                for connection in contents.open.values { connection.drain() }
                let streams = contents.open.values.filter(\.isStreaming)
                end(streams[...], DrainSchedule(streams.count, within: deadline))
                tellIfDrained()
                // What is held back for effects is answered as things stand, in time to be sent.
                _ = loop.schedule(after: deadline * 0.8) { [self] in
                    for connection in self.contents.value.open.values { connection.answerHeld() }
                }
                _ = loop.schedule(after: deadline) { [self] in cut() }
            }
            if !isRunning { continuation.resume() }
        }
    }

    /// Ends streams, so many at a time.
    private func end(_ streams: ArraySlice<HTTPConnection>, _ pace: DrainSchedule) {
        for connection in streams.prefix(pace.batch) { connection.drainStream() }
        let rest = streams.dropFirst(pace.batch)
        if !rest.isEmpty { _ = loop.schedule(after: DrainSchedule.pause) { [self] in end(rest, pace) } }
    }

    /// Called when a connection ends or falls idle.
    func tellIfDrained() {
        let contents = contents.value
        guard contents.isDraining, contents.open.isEmpty, let drained = contents.drained else { return }
        contents.drained = nil
        contents.listener?.close()
        drained()
    }

    private func cut() {
        for connection in contents.value.open.values { connection.cut() }
    }
}

/// How many connections all loops have together.
package final class ConnectionCount: Sendable {
    let value = Atomic<Int>(0)
}

/// How many of a loop's streams are told at a time that the server drains.
///
/// A handful goes at once. A crowd goes little by little, so that its clients do not come back to another server at one stroke,
/// within a quarter of the time that the drain has.
package struct DrainSchedule: Sendable {
    /// From one batch to the next.
    package static var pause: Duration { .milliseconds(20) }

    private static var handful: Int { 100 }

    /// How many go at a time.
    package let batch: Int

    /// - Parameters:
    ///   - count: all of the loop's streams.
    ///   - timeout: how long the drain lasts.
    package init(_ count: Int, within timeout: Duration) {
        let time = min(timeout / 4, .milliseconds(count))
        let batches = max(1, Int(time / Self.pause))
        batch = count <= Self.handful ? max(1, count) : (count + batches - 1) / batches
    }
}
