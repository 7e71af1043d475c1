import Dispatch
import HTTP
import Sockets

/// Another node, with the connections of one loop to it. On that loop only.
///
/// Each request has a connection for itself until it is answered.
final class Peer {
    struct Limits: Sendable {
        /// How many connections there may be. Further requests wait.
        var connections = Int.max
        /// Counts the responses that are collected. A long one that it does not admit is not passed on.
        var output = OutputBudget(limit: .max)
    }

    /// How long it may take to connect.
    private static let connectTimeout = Duration.seconds(1)
    /// A node that could not be reached is not tried again for so long.
    private static let retryInterval = Duration.milliseconds(50)

    /// Shows the other node that requests come from a node.
    let credentials: String
    let limits: Limits
    /// Is called with the reason whenever the node could not be reached, or has not answered in time; with nil whenever it answers.
    let report: (_ problem: String?) -> Void
    private let address: String
    private let loop: any EventLoop
    private var idle: [PeerConnection] = []
    private var open: [ObjectIdentifier: PeerConnection] = [:]
    /// The requests that wait for a connection, oldest first.
    private var waiting: [ForwardedRequest] = []
    private var isDialing = false
    private var nextDial = LoopInstant(nanoseconds: 0)

    init(
        _ address: String, on loop: any EventLoop, credentials: String, _ limits: Limits,
        report: @escaping (_ problem: String?) -> Void
    ) {
        self.limits = limits
        self.report = report
        self.address = address
        self.loop = loop
        self.credentials = credentials
    }

    /// Sends a request, and ends it with its outcome.
    func send(_ request: ForwardedRequest) {
        if let connection = idle.popLast() { return connection.send(request) }
        guard loop.now >= nextDial else { return request.end(.notSent) }
        waiting.append(request)
        dial()
    }

    /// A connection awaits nothing.
    func isFree(_ connection: PeerConnection) {
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            if next.isAwaited { return connection.send(next) }
        }
        idle.append(connection)
    }

    func isClosed(_ connection: PeerConnection) {
        guard open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        idle.removeAll { $0 === connection }
        dial()
    }

    func closeAll() {
        fail()
        for connection in Array(open.values) { connection.close() }
    }

    /// Makes one connection at a time, on another thread because that may block.
    private func dial() {
        guard !isDialing, !waiting.isEmpty, open.count < limits.connections else { return }
        isDialing = true
        let bound = LoopBound(self, on: loop)
        DispatchQueue.global().async { [address, loop] in
            let socket = Self.connect(to: address)
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
            nextDial = loop.now.advanced(by: Self.retryInterval)
            report(error.description)
            return fail()
        }
        open[ObjectIdentifier(connection)] = connection
        connection.start(on: channel)
        isFree(connection)
        dial()
    }

    private func fail() {
        let failed = waiting
        waiting = []
        for request in failed { request.end(.notSent) }
    }

    private static func connect(to address: String) -> Result<Int32, SocketError> {
        guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...]) else {
            return .failure(.unresolved(host: address, reason: "no port"))
        }
        let host = address[..<colon].trimming { $0 == "[" || $0 == "]" }
        return Result { () throws(SocketError) in
            try Dialing.connect(host: host, port: port, within: connectTimeout)
        }
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> String {
        String(drop(while: isTrimmed).reversed().drop(while: isTrimmed).reversed())
    }
}
