import Cluster
import Dispatch
import Platform
import Sockets
import Threads

/// Another node, with the connection of one loop to it. On that loop only.
final class Peer {
    /// A node that could not be reached is not tried again for so long.
    private static let retryInterval = Duration.milliseconds(50)

    /// Is called with the reason whenever the node could not be reached, or has not answered in time; with nil whenever it answers.
    let report: (_ problem: String?) -> Void
    /// Begins the greeting of a connection.
    private let call: () throws(LinkVersion.Failure) -> LinkCaller
    private let address: String
    private let loop: any EventLoop
    private let waits: ClusterWaits
    /// Counts the bytes that wait to be sent.
    private let output: OutputBudget
    /// The connection for new requests. It may not be proved yet.
    private var link: CallingLink?
    /// The connections that get no more requests, and have some in progress.
    private var retired: [CallingLink] = []
    /// The requests that wait for the connection, oldest first.
    private var waiting: [ForwardedRequest] = []
    private var isDialing = false
    /// Waits for the end of the greeting.
    private var greeted: (() -> Void)?
    private var nextDial = MonotonicInstant(nanoseconds: 0)

    init(
        _ address: String, on loop: any EventLoop, _ waits: ClusterWaits,
        _ output: OutputBudget = OutputBudget(limit: .max),
        call: @escaping () throws(LinkVersion.Failure) -> LinkCaller, report: @escaping (_ problem: String?) -> Void
    ) {
        self.report = report
        self.call = call
        self.address = address
        self.loop = loop
        self.waits = waits
        self.output = output
    }

    /// Sends a request, and ends it with its outcome.
    func send(_ request: ForwardedRequest) {
        if let link, link.isOpen {
            if link.hasRoom { return link.send(request) }
            retire(link)
        }
        guard loop.now >= nextDial else { return request.end(.notSent) }
        waiting.append(request)
        dial()
    }

    /// Opens the connection without a request.
    ///
    /// - Parameter done: is called once the other end has answered, or cannot be reached.
    func greet(_ done: @escaping () -> Void) {
        greeted = done
        dial()
    }

    func isCurrent(_ link: CallingLink) -> Bool { link === self.link }

    /// Sends no more requests on this connection. It closes when the last of them is answered.
    func retire(_ old: CallingLink) {
        guard old === link else { return }
        link = nil
        retired.append(old)
        // In a later turn, since it may be reading.
        loop.atEndOfTurn { old.closeIfRetired() }
    }

    func isClosed(_ old: CallingLink, with problem: String?) {
        if old === link { link = nil }
        retired.removeAll { $0 === old }
        if let problem { report(problem) }
        dial()
    }

    func closeAll() {
        fail(.notSent)
        for link in [link].compactMap(\.self) + retired { link.close() }
    }

    /// Makes a connection on another thread, because that may block.
    private func dial() {
        guard !isDialing, link == nil, !waiting.isEmpty || greeted != nil else { return }
        isDialing = true
        let bound = LoopBound(self, on: loop)
        DispatchQueue.global().async { [address, loop, timeout = waits.connection] in
            let socket = Self.connect(to: address, within: timeout)
            let isRunning = loop.execute { bound.value.dialed(socket) }
            if !isRunning, case .success(let socket) = socket { Dialing.close(socket) }
        }
    }

    private func dialed(_ socket: Result<Int32, SocketError>) {
        isDialing = false
        do {
            let socket = try socket.get()
            let caller: LinkCaller
            do {
                caller = try call()
            } catch {
                Dialing.close(socket)
                throw error
            }
            link = try CallingLink(owning: socket, on: loop, caller, waits, output, of: self)
        } catch let error as SocketError {
            cannotReach(error.description)
        } catch {
            cannotReach("\(error)")
        }
    }

    /// The greeting of a connection has ended.
    func hasGreeted(_ link: CallingLink, _ outcome: CallingLink.Greeting) {
        defer { greeted.take()?() }
        if case .proved = outcome {
            let requests = waiting
            waiting = []
            for request in requests where request.isAwaited { send(request) }
            return
        }
        if link === self.link { self.link = nil }
        switch outcome {
        case .proved: break
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
        greeted.take()?()
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
