import HTTP
import Locks
import Platform
import Sockets
import Synchronization
import Threads

/// The connections of one event loop.
package final class ConnectionManager: Sendable {
    let loop: any EventLoop
    private let anchor: LoopThread
    let settings: HTTPServer.Settings
    let handler: any RequestHandler
    let count: ConnectionCount
    let contents: LoopBound<Contents>

    final class Contents {
        var listeners: [Listener] = []
        var open: [HTTPConnection] = []
        /// The provisional ones among them, oldest first.
        var provisional: [HTTPConnection] = []
        /// When to make room again for clients whose connections are provisional.
        var makesRoomAt = MonotonicInstant(nanoseconds: 0)
        /// Whether a timer looks for room.
        var awaitsRoom = false
        /// How many bytes the connections hold of requests.
        var heldInput = 0
        /// Whether they hold more than their share of the budget, and nothing of it can be cut.
        var isInputStuck = false
        /// Whether a timer looks whether that is still so.
        var awaitsInputRoom = false
        var isDraining = false
        /// Are fulfilled when no connection is left.
        var onEmpty: [Promise<Void>] = []
        var date: (second: Int, bytes: [UInt8]) = (0, [])
        @exclusivity(unchecked) var requestIDs = RequestIDs()

        func insert(_ connection: HTTPConnection) {
            connection.openIndex = Int32(open.count)
            open.append(connection)
        }

        func closeListeners() {
            for listener in listeners { listener.close() }
        }

        /// - Returns: whether the connection was there.
        func remove(_ connection: HTTPConnection) -> Bool {
            let index = Int(connection.openIndex)
            guard index < open.count, open[index] === connection else { return false }
            let last = open.removeLast()
            if last !== connection {
                last.openIndex = connection.openIndex
                open[index] = last
            }
            return true
        }
    }

    init(loop: any EventLoop, settings: HTTPServer.Settings, count: ConnectionCount, handler: any RequestHandler) {
        self.loop = loop
        anchor = loop.anchor
        self.settings = settings
        self.count = count
        self.handler = handler
        contents = LoopBound(handing: Contents(), to: anchor)
    }

    /// - Parameters:
    ///   - sockets: one for each address of the server.
    ///   - managers: those of all loops.
    func listen(_ sockets: [ListeningSocket], beside managers: [ConnectionManager]) {
        loop.execute { [self] in
            // A loop that cannot watch its first descriptor cannot serve; the other loops may.
            contents.value.listeners = sockets.compactMap { socket in
                try? Listener(
                    socket, on: loop,
                    mayAccept: { [self] in admission != .full },
                    full: { [self] in makeRoom(beside: managers) },
                    accepted: { [self] in accept($0, beside: managers) })
            }
        }
    }

    private func accept(_ socket: AcceptedSocket, beside managers: [ConnectionManager]) {
        let connection = HTTPConnection(self, peer: IPAddress(ipv6: socket.peer.ipv6Bits))
        guard let channel = try? Channel(owning: socket.descriptor, on: loop, delegate: connection) else { return }
        begin(connection, on: channel, beside: managers)
    }

    /// Takes a client without a socket.
    func accept(_ carrier: any ChannelCarrier, peer: IPAddress, beside managers: [ConnectionManager]) -> Channel {
        let connection = HTTPConnection(self, peer: peer)
        let channel = Channel(number: 0, of: carrier, on: loop)
        channel.delegate = connection
        begin(connection, on: channel, beside: managers)
        return channel
    }

    private func begin(_ connection: HTTPConnection, on channel: Channel, beside managers: [ConnectionManager]) {
        let admission = admission
        channel.budget = settings.output
        connection.start(on: channel)
        contents.value.insert(connection)
        settings.traffic.connectionOpened()
        if isDraining { awaitRequest(on: connection) }
        if admission == .admitted {
            count.admitted.add(1, ordering: .relaxed)
        } else {
            hold(connection, admission, beside: managers)
        }
    }

    /// Forgets a connection whose channel is closed.
    func remove(_ connection: HTTPConnection) {
        guard contents.value.remove(connection) else { return }
        if connection.isProvisional {
            endProvision(of: connection)
        } else {
            count.admitted.subtract(1, ordering: .relaxed)
            if !contents.value.provisional.isEmpty { admitHeldBack() }
        }
        settings.traffic.connectionClosed()
        finishDrainIfEmpty()
    }

    /// A connection of this loop for code on other threads.
    func bound(_ connection: HTTPConnection) -> LoopBound<any RequestSource> { LoopBound(connection, on: anchor) }

    var isDraining: Bool { contents.value.isDraining }

    /// The current Date field, formatted once a second.
    var date: [UInt8] {
        let contents = contents.value
        let second = time(nil)
        if contents.date.second != second { contents.date = (second, HTTPDate(unixTime: second).bytes) }
        return contents.date.bytes
    }

    /// The id of a request: the client's own if it is valid, else a new one.
    func requestID(_ own: @autoclosure () -> String?) -> String {
        if let own = own(), RequestIDs.isValid(own) { return own }
        return contents.value.requestIDs.next()
    }
}

// Draining.
extension ConnectionManager {
    /// Returns when no connection is left. After `timeout` the remaining ones are closed.
    ///
    /// - Parameters:
    ///   - streamTime: in which time streams end at the latest; nil for a quarter of the timeout.
    ///   - loops: how many loops drain.
    func drain(within timeout: Duration, streamTime: Duration?, loops: Int) async {
        await withTaskExecutorPreference(loop) {
            // Not after the end of the loop.
            guard loop.isCurrent else { return }
            startDrain(within: timeout, streamTime: streamTime, loops: loops)
            await becomesEmpty().value()
        }
    }

    /// Closes the listeners, and connections that have sent no request. Returns when no connection is left.
    func stopListening() async {
        await withTaskExecutorPreference(loop) {
            guard loop.isCurrent else { return }
            contents.value.closeListeners()
            for connection in contents.value.open { connection.drain() }
            await becomesEmpty().value()
        }
    }

    /// Is fulfilled when no connection is left.
    private func becomesEmpty() -> Promise<Void> {
        let isEmpty = Promise<Void>()
        contents.value.onEmpty.append(isEmpty)
        finishDrainIfEmpty()
        return isEmpty
    }

    private func startDrain(within timeout: Duration, streamTime: Duration?, loops: Int) {
        let contents = contents.value
        contents.isDraining = true
        for connection in contents.open where !connection.drain() { connection.stream?.drainBegins() }
        let streams = contents.open.flatMap(\.streamClients)
        let schedule = DrainSchedule(streamCount: streams.count, timeout: timeout, streamTime: streamTime)
        // The loops have about the same number of streams.
        end(streams[...], among: streams.count * loops, schedule)
        _ = loop.schedule(after: schedule.respondsAfter) { [self] in
            for connection in self.contents.value.open {
                connection.stream?.streamMustAnswer()
                connection.sendDeferredResponse()
            }
        }
        _ = loop.schedule(after: schedule.closesAfter) { [self] in
            // A client that reconnects at once for each closed connection would hold up the drain.
            self.contents.value.closeListeners()
            for connection in self.contents.value.open { connection.closeNow() }
        }
    }

    /// How long a connection that comes during the drain may send nothing.
    private static var readTimeout: Duration { .milliseconds(250) }

    /// Closes a new connection if it sends nothing. Without a request it learns nothing, and would hold up the drain.
    private func awaitRequest(on connection: HTTPConnection) {
        _ = loop.schedule(after: Self.readTimeout) { connection.drain() }
    }

    /// Ends the streams batch by batch.
    private func end(_ streams: ArraySlice<any StreamClient>, among count: Int, _ schedule: DrainSchedule) {
        for client in streams.prefix(schedule.batchSize) { client.streamShouldEnd(among: count) }
        let others = streams.dropFirst(schedule.batchSize)
        guard !others.isEmpty else { return }
        _ = loop.schedule(after: DrainSchedule.interval) { [self] in end(others, among: count, schedule) }
    }

    private func finishDrainIfEmpty() {
        let contents = contents.value
        guard contents.isDraining, contents.open.isEmpty, !contents.onEmpty.isEmpty else { return }
        let waiting = contents.onEmpty
        contents.onEmpty = []
        for isEmpty in waiting { isEmpty.fulfill(()) }
    }
}

// Slow clients.
extension ConnectionManager {
    /// Disconnects the slow clients of this loop that hold most.
    func disconnectSlowClients() async {
        await withTaskExecutorPreference(loop) {
            // Nil after the end of the loop.
            guard let open = contents.valueIfCurrent?.open else { return }
            let output = settings.output
            let excess = SlowClientDisconnector.excess(of: output.pendingBytes, limit: output.limit)
            // The connection of another server is one of them: its own bytes wait only while all of that server stands still, since it
            // takes them whatever its clients do.
            let clients = open.flatMap { [$0] + ($0.stream?.clients ?? []) }
            let slow = SlowClientDisconnector.choose(
                from: clients.map { SlowClient(heldBytes: $0.heldBytes, stalledTime: $0.stalledTime) },
                excess: excess)
            for index in slow { clients[index].disconnect() }
            output.countDisconnected(slow.count)
        }
    }
}

extension SlowClientDisconnector {
    convenience init(_ output: OutputBudget, _ managers: [ConnectionManager]) {
        self.init(managers.map { manager in { await manager.disconnectSlowClients() } }) {
            SlowClientDisconnector.excess(of: output.pendingBytes, limit: output.limit) > 0
        }
    }
}
