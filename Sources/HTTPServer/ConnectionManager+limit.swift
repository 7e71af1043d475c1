package import HTTP
import Platform
import Sockets
import Synchronization
import Threads

// The limit of connections.
extension ConnectionManager {
    /// The admission of the next connection.
    var admission: ConnectionLimit.Admission {
        let provisional = contents.value.provisional
        return settings.connectionLimit.admission(
            admitted: count.admitted.load(ordering: .relaxed), provisional: provisional.count,
            oldestMayGo: provisional.first.map { $0.idleTime.map { $0 >= IdleConnection.minIdleTime } ?? true } ?? false
        )
    }

    /// Keeps a connection beyond the limit until its first request, and makes room, so that clients are admitted again.
    func hold(
        _ connection: HTTPConnection, _ admission: ConnectionLimit.Admission, beside managers: [ConnectionManager]
    ) {
        if admission == .insteadOfOldest, let oldest = contents.value.provisional.first {
            oldest.makeWay()
            // Its channel reports its end later in the turn, and another one may be accepted before.
            contents.value.provisional.removeFirst()
        }
        connection.isProvisional = true
        contents.value.provisional.append(connection)
        if settings.connectionLimit.holdsBack { awaitRoom(beside: managers) }
        guard loop.now >= contents.value.makesRoomAt else { return }
        contents.value.makesRoomAt = loop.now.advanced(by: Self.roomInterval)
        makeRoom(beside: managers)
    }

    /// Whether a connection may be used, after its first request was looked at.
    ///
    /// - Parameter toReserve: whether the reserve is for such connections.
    func admits(_ connection: HTTPConnection, toReserve: Bool = false) -> Bool {
        guard connection.isProvisional else { return true }
        let mayServe = settings.connectionLimit.admitsRequest(
            toReserve: toReserve, admitted: count.admitted.load(ordering: .relaxed))
        if mayServe {
            endProvision(of: connection)
            count.admitted.add(1, ordering: .relaxed)
        }
        return mayServe
    }

    /// Whether the first request of a connection has to wait for room. Probes do not.
    func holdsBack(_ connection: HTTPConnection, _ head: RequestHead) -> Bool {
        guard settings.connectionLimit.holdsBack, !admits(connection) else { return false }
        return !handler.isProbe(head, on: connection)
    }

    /// Looks for room again and again while connections wait for it. Other loops may have made it.
    private func awaitRoom(beside managers: [ConnectionManager]) {
        guard !contents.value.awaitsRoom else { return }
        contents.value.awaitsRoom = true
        _ = loop.schedule(after: Self.roomInterval) { [self] in
            contents.value.awaitsRoom = false
            admitHeldBack()
            guard !contents.value.provisional.isEmpty else { return }
            if contents.value.provisional.contains(where: \.isHeldBack) { makeRoom(beside: managers) }
            awaitRoom(beside: managers)
        }
    }

    /// Lets connections go on whose first requests wait, oldest first, as far as there is room.
    func admitHeldBack() {
        for connection in contents.value.provisional where connection.isHeldBack {
            guard admits(connection) else { return }
            connection.goOn()
        }
    }

    /// The connection is admitted, or closed.
    func endProvision(of connection: HTTPConnection) {
        connection.isProvisional = false
        contents.value.provisional.removeAll { $0 === connection }
    }

    /// The time after which room is made again.
    private static var roomInterval: Duration { .milliseconds(100) }

    /// Closes idle connections, so that one client cannot keep the others out for the idle timeout.
    func makeRoom(beside managers: [ConnectionManager]) {
        let closed = closeIdle()
        handler.connectionLimitReached(closing: closed)
        guard closed == 0 else { return }
        for other in managers where other !== self {
            other.loop.execute { other.handler.connectionLimitReached(closing: other.closeIdle()) }
        }
    }

    /// - Returns: how many connections were closed.
    private func closeIdle() -> Int {
        // Connections beyond the limit take nobody's place.
        let open = contents.value.open.filter { !$0.isProvisional }
        let idle = IdleConnection.choose(
            from: open.map { IdleConnection(client: $0.peer.client, idleTime: $0.idleTime) })
        for index in idle {
            if let stream = open[index].stream { stream.closeIdle() } else { open[index].closeIdle() }
        }
        return idle.count
    }
}

/// A connection as the choice sees it that makes room for new ones.
package struct IdleConnection: Sendable {
    /// The address, or network, of the client.
    let client: IPAddress
    /// For how long it has awaited a whole request; nil while a request or a stream is in progress.
    let idleTime: Duration?

    package init(client: IPAddress, idleTime: Duration?) {
        self.client = client
        self.idleTime = idleTime
    }

    /// A connection that was accepted a moment ago has had no time to send its request.
    package static var minIdleTime: Duration { .seconds(1) }

    private static var maxAtOnce: Int { 64 }

    /// The connections to close, as indices: of the client that has most connections, the half that is idle longest.
    package static func choose(from connections: [IdleConnection]) -> [Int] {
        var counts: [IPAddress: Int] = [:]
        for connection in connections { counts[connection.client, default: 0] += 1 }
        let idle = connections.indices.filter { connections[$0].idleTime.map { $0 >= minIdleTime } ?? false }
            .sorted { (connections[$0].idleTime ?? .zero) > (connections[$1].idleTime ?? .zero) }
        // Of two clients with as many connections, the first one here has been idle longest.
        var chosen: IPAddress?
        for index in idle where counts[connections[index].client, default: 0] > chosen.map({ counts[$0] ?? 0 }) ?? 0 {
            chosen = connections[index].client
        }
        let own = idle.filter { connections[$0].client == chosen }
        return Array(own.prefix(min(maxAtOnce, (own.count + 1) / 2)))
    }
}
