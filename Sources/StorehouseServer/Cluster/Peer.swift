import Cluster
import Dispatch
import HTTP
import Locks
import Platform
import Sockets

/// Another node, with the connections of one loop to it. On that loop only.
///
/// Each request has a connection for itself until it is answered. The connections of short requests are channels on one socket,
/// once the node has agreed to that.
final class Peer {
    struct Limits: Sendable {
        /// How many connections there may be, besides the socket with channels. Further requests wait.
        var connections = Int.max
        /// Counts the responses that are collected. A long one that it does not admit is not passed on.
        var output = OutputBudget(limit: .max)
        var waits = ClusterWaits()
    }

    /// A node that could not be reached is not tried again for so long.
    private static let retryInterval = Duration.milliseconds(50)
    /// How many connections may be channels on one socket, which one loop of the other node serves. Further requests use other
    /// sockets, which its other loops serve too.
    private static let maxChannels = 64

    /// Shows the other node that a request which is sent now comes from a node.
    let proof: () -> NodeProof
    let limits: Limits
    /// Is called with the reason whenever the node could not be reached, or has not answered in time; with nil whenever it answers.
    let report: (_ problem: String?) -> Void
    private let address: String
    private let loop: any EventLoop
    private var idle: [PeerConnection] = []
    /// The socket with channels for new requests, and those of them that await nothing.
    private var channels: PeerChannels?
    private var idleOnChannels: [PeerConnection] = []
    private var nextAsk = MonotonicInstant(nanoseconds: 0)
    private var open: [ObjectIdentifier: PeerConnection] = [:]
    /// The requests that wait for a connection, oldest first.
    private var waiting: [ForwardedRequest] = []
    private var isDialing = false
    /// How many connections there are that are not proved yet. Each of them is for a request that waits.
    private var greetings = 0
    private var nextDial = MonotonicInstant(nanoseconds: 0)

    init(
        _ address: String, on loop: any EventLoop, proof: @escaping () -> NodeProof, _ limits: Limits,
        report: @escaping (_ problem: String?) -> Void
    ) {
        self.limits = limits
        self.report = report
        self.address = address
        self.loop = loop
        self.proof = proof
    }

    /// Sends a request, and ends it with its outcome.
    func send(_ request: ForwardedRequest) {
        if request.isShort, let connection = connectionOnChannel() { return connection.send(request) }
        if let connection = idle.popLast() { return connection.send(request) }
        guard loop.now >= nextDial else { return request.end(.notSent) }
        waiting.append(request)
        dial()
    }

    /// A connection awaits nothing.
    func isFree(_ connection: PeerConnection) {
        if let its = connection.channels {
            if its === channels { idleOnChannels.append(connection) } else { connection.close() }
            return
        }
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            if next.isAwaited { return connection.send(next) }
        }
        idle.append(connection)
    }

    func isClosed(_ connection: PeerConnection) {
        guard open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        if connection.channels == nil {
            idle.removeAll { $0 === connection }
        } else {
            idleOnChannels.removeAll { $0 === connection }
        }
        dial()
    }

    func closeAll() {
        fail(.notSent)
        for connection in Array(open.values) { connection.close() }
    }

    private func connectionOnChannel() -> PeerConnection? {
        guard let channels, channels.isOpen else { return nil }
        if let connection = idleOnChannels.popLast() { return connection }
        guard channels.count < Self.maxChannels else { return nil }
        let connection = PeerConnection(self, in: channels)
        connection.start(on: channels.open(connection))
        open[ObjectIdentifier(connection)] = connection
        return connection
    }

    /// Whether a request should ask the node for channels.
    func asksForChannels() -> Bool {
        guard channels == nil, loop.now >= nextAsk else { return false }
        nextAsk = loop.now.advanced(by: limits.waits.agreement)
        return true
    }

    /// The node has agreed to channels.
    func share(_ new: PeerChannels) {
        if let channels { retire(channels) }
        channels = new
        // Its socket does not count any more.
        dial()
    }

    /// Sends no more requests on these channels. Their socket closes when the last of them is answered.
    func retire(_ old: PeerChannels) {
        guard channels === old else { return }
        channels = nil
        let idle = idleOnChannels
        idleOnChannels = []
        for connection in idle { connection.close() }
    }

    /// Makes one connection at a time, on another thread because that may block.
    private func dial() {
        guard !isDialing, waiting.count > greetings,
            open.values.count(where: { $0.channels == nil }) < limits.connections
        else { return }
        isDialing = true
        let bound = LoopBound(self, on: loop)
        DispatchQueue.global().async { [address, loop, timeout = limits.waits.connection] in
            let socket = Self.connect(to: address, within: timeout)
            let isRunning = loop.execute { bound.value.dialed(socket) }
            if !isRunning, case .success(let socket) = socket { Dialing.close(socket) }
        }
    }

    private func dialed(_ socket: Result<Int32, SocketError>) {
        isDialing = false
        let connection = PeerConnection(self)
        let channel: Channel
        do throws(SocketError) {
            channel = try Channel(owning: try socket.get(), on: loop, delegate: connection)
        } catch {
            return cannotReach(error.description)
        }
        open[ObjectIdentifier(connection)] = connection
        connection.start(on: channel)
        greet(connection)
        dial()
    }

    /// Proves to the other end that this is a node, and waits until it has done so too.
    private func greet(_ connection: PeerConnection) {
        guard case .link(let identity) = proof() else { return isFree(connection) }
        do throws(LinkVersion.Failure) {
            let caller = try identity.call(address)
            greetings += 1
            connection.greet(caller)
        } catch {
            connection.close()
            cannotReach(error.description)
        }
    }

    /// The greeting of a connection has ended.
    func hasGreeted(_ connection: PeerConnection, _ outcome: PeerConnection.Greeting) {
        greetings -= 1
        switch outcome {
        case .proved:
            isFree(connection)
            dial()
        case .refused:
            // It has answered, as it answers each request.
            report(nil)
            fail(.notHere)
        case .failed(let reason): cannotReach(reason)
        }
    }

    private func cannotReach(_ reason: String) {
        nextDial = loop.now.advanced(by: Self.retryInterval)
        report(reason)
        fail(.notSent)
    }

    private func fail(_ outcome: ForwardedRequest.Outcome) {
        let failed = waiting
        waiting = []
        for request in failed { request.end(outcome) }
    }

    private static func connect(to address: String, within timeout: Duration) -> Result<Int32, SocketError> {
        guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...]) else {
            return .failure(.unresolved(host: address, reason: "no port"))
        }
        let host = address[..<colon].trimming { $0 == "[" || $0 == "]" }
        return Result { () throws(SocketError) in
            try Dialing.connect(host: host, port: port, within: timeout)
        }
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> String {
        String(drop(while: isTrimmed).reversed().drop(while: isTrimmed).reversed())
    }
}
