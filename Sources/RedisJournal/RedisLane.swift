import Journal
import Locks
import Platform
import Sockets
import StoreHosting
import Synchronization
import Threads

/// A connection to Redis beside the one that has a thread: it belongs to an event loop of the server. The commits of requests on that
/// loop go to Redis and come back without another thread.
///
/// It is a short cut for commits, and nothing else:
///
/// - It leads to the run of the server that the connection with the thread leads to, and is closed before that one is made anew. So
///   both have lost commits, or neither.
/// - If it fails with commands, the thread makes all connections anew, and sends these commands again.
/// - A session's commands are on one lane only, until all of them are completed. All other requests, and those that may not
///   overtake the lane's, go to the thread.
final class RedisLane: ReadinessHandler, Sendable {
    /// More would take the loop's time: encoding and checksums take time in proportion to the bytes.
    static let maxRequestBytes = 32 << 10

    /// The requests of this turn, which the next write takes.
    private struct Intake {
        var requests: [any RedisRequest] = []
        /// Names the connection of the lane; 0 if it takes no requests.
        var life = 0
    }

    private static let lifeCount = Atomic(0)

    let loop: any EventLoop
    private let anchor: LoopThread
    // Guards the connection. Only the loop sends and receives, but the thread can close a lane whose loop is busy. Commands are made and
    // completed while it is held, so that no command is given back before all that were answered are completed: whoever has the lock
    // of a session must not take this one.
    private let link = Locked<RedisLink?>(nil)
    // Guards the requests. No other lock is taken while it is held.
    private let intake = Locked(Intake())
    /// How many requests it has ever taken, and completed or given back.
    private let taken = Atomic(0)
    private let completed = Atomic(0)

    init(_ loop: any EventLoop) {
        self.loop = loop
        anchor = loop.anchor
    }

    /// Whether the caller is on the lane's loop.
    var isCurrent: Bool { anchor.isCurrent }

    /// Whether it takes requests.
    var isOpen: Bool { intake.withLock { $0.life != 0 } }

    /// Whether everything that it has taken is completed.
    var isIdle: Bool { completedCount == taken.load(ordering: .acquiring) }

    /// Changes only while the inbox of the connection is locked.
    fileprivate var completedCount: Int { completed.load(ordering: .acquiring) }

    /// The newest request; nil if everything is completed.
    var mark: Mark? {
        let number = taken.load(ordering: .acquiring)
        return completedCount == number ? nil : Mark(lane: self, number: number, life: 0)
    }

    /// Begins to use a connection. Only the thread does this, while the lane is closed.
    ///
    /// - Parameter count: the call of the script that counts writes.
    func open(_ socket: RedisSocket, _ connection: RedisConnection, counting count: RedisCommand?) {
        guard let opened = RedisLink(socket, connection, counting: count) else { return socket.close() }
        link.withLock { link in
            link = opened
            intake.withLock { $0.life = Self.lifeCount.add(1, ordering: .relaxed).newValue }
        }
        let isAccepted = loop.execute { [self] in
            // It may have sent commands already.
            guard let interest = interest(in: socket.descriptor) else { return }
            do { try loop.watch(socket.descriptor, interest, self) } catch { end(because: "\(error)") }
        }
        if !isAccepted { end(because: nil) }
    }

    /// - Returns: nil if the descriptor is not that of the connection any more.
    private func interest(in descriptor: Int32) -> Interest? {
        link.withLock { $0?.socket.descriptor == descriptor ? $0?.interest : nil }
    }

    /// Takes no more requests.
    func retire() { intake.withLock { $0.life = 0 } }

    /// Closes it if the server has not answered for so long, or a request is past its deadline.
    ///
    /// The loop does this, because it takes first what has arrived.
    ///
    /// - Parameter now: the time at the call.
    /// - Returns: whether a request is so long past its deadline that the loop seems to be busy.
    func check(_ timeout: Duration, _ now: ContinuousClock.Instant) -> Bool {
        guard !isIdle else { return false }
        loop.execute { [self] in
            let isLate = link.withLock { $0?.isLate(timeout, .now) ?? false }
            if isLate { end(because: "it does not answer") }
        }
        return link.withLock { link in
            let next = link?.pipeline.nextDeadline ?? intake.withLock { $0.requests.first?.deadline }
            return next.map { $0 < now - .seconds(1) } ?? false
        }
    }

    /// Closes the connection, and gives back what is not completed.
    ///
    /// - Parameter failure: why the connection with the thread is of no use either, if something is not completed; nil if it is lost
    ///   already.
    func end(because failure: String?) {
        let ended = link.withLock { link in
            defer { link = nil }
            link?.append(drain(closing: true))
            return link?.ended()
        }
        guard let (socket, connection, items) = ended else { return }
        if isCurrent {
            loop.unwatch(socket.descriptor)
            socket.close()
        } else {
            let isAccepted = loop.execute { [loop] in
                loop.unwatch(socket.descriptor)
                socket.close()
            }
            if !isAccepted { socket.close() }
        }
        connection.takeBack(items, because: failure) { completed.add(items.count, ordering: .releasing) }
    }

    private func drain(closing: Bool = false) -> [any RedisRequest] {
        intake.withLock { intake in
            if closing { intake.life = 0 }
            defer { intake.requests.removeAll(keepingCapacity: !closing) }
            return intake.requests
        }
    }
}

// The members that run on the loop.
extension RedisLane {
    /// Takes a request, and sends it at the end of this turn with the others of the turn.
    ///
    /// - Parameter way: that of the session's newest request, if that one is not completed.
    /// - Returns: nil if there is no connection, or another one has requests of the session.
    func take(_ request: any RedisRequest, behind way: RedisWay?) -> Mark? {
        let (mark, isFirst): (Mark?, Bool) = intake.withLock { intake in
            guard intake.life != 0, way?.isLane(self, intake.life) ?? true else { return (nil, false) }
            intake.requests.append(request)
            let number = taken.add(1, ordering: .releasing).newValue
            return (Mark(lane: self, number: number, life: intake.life), intake.requests.count == 1)
        }
        if isFirst { loop.atEndOfTurn { [self] in send() } }
        return mark
    }

    private func send() {
        let failure: RedisSocket.Failure? = link.withLock { link in
            link?.append(drain())
            do throws(RedisSocket.Failure) { try link?.send(on: loop) } catch { return error }
            return nil
        }
        if let failure { end(because: failure.detail) }
    }

    func ready(_ descriptor: Int32, _ readiness: Readiness) {
        guard interest(in: descriptor) != nil else { return }
        if readiness != .writable { receive() }
        send()
    }

    func loopStopped(_ descriptor: Int32) { end(because: "an event loop has ended") }

    private func receive() {
        let failure: String? = link.withLock { link in
            guard let connection = link?.connection, let received = link?.receive(into: loop.readBuffer) else {
                return nil
            }
            let step = received.step
            let problem = step.mustReconnect ? nil : step.problem
            if problem != nil { connection.isRefusing.store(true, ordering: .relaxed) }
            connection.complete(step)
            if step.hasWritten { connection.hasWritten(received.duration) }
            connection.hasProgressed(problem) { completed.add(step.completions.count, ordering: .releasing) }
            return received.failure
        }
        if let failure { end(because: failure) }
    }
}

extension RedisLane {
    /// The place of a request among those that a lane has ever taken.
    struct Mark: Sendable {
        let lane: RedisLane
        let number: Int
        /// Names the connection that has the request.
        fileprivate let life: Int

        /// Whether the request is completed, or given back.
        var isPassed: Bool { lane.completedCount >= number }
    }
}

/// Which way the newest request of a session went.
enum RedisWay: Sendable {
    /// By a lane, as did all before it that are not completed.
    case lane(RedisLane.Mark)
    /// To the thread, which sends it when the lane has completed that one; nil if none had any.
    case thread(after: RedisLane.Mark?)

    /// The newest request that may be on a lane.
    var mark: RedisLane.Mark? {
        switch self {
        case .lane(let mark): mark
        case .thread(let mark): mark
        }
    }

    fileprivate func isLane(_ lane: RedisLane, _ life: Int) -> Bool {
        if case .lane(let mark) = self { mark.lane === lane && mark.life == life } else { false }
    }
}

/// The lanes of a server, one for each of its event loops.
final class RedisLanes: Sendable {
    let all: [RedisLane]

    init(_ loops: [any EventLoop]) { all = loops.map(RedisLane.init) }
}
