import StoreHosting

/// The requests on their way to the thread of the connection, and what else other threads have for it.
///
/// A request may wait for some of lanes: what is asked of a session takes effect in the order of the calls.
struct RedisInbox {
    /// What the thread takes at a time.
    struct Arrivals {
        /// Those of lanes that are closed come first.
        var items: [RedisPipeline.Item] = []
        var outcome: RedisHandshake.Outcome?
        var lanes: OpenedLanes?
        var observer: (@Sendable (OwnershipEvent) -> Void)?
        /// Why a lane was closed, so that the connection is of no use either.
        var laneFailure: String?
        /// Why the server refuses commands of a lane.
        var laneProblem: String?
    }

    private struct Waiting {
        let request: any RedisRequest
        /// The requests that lanes must have completed before.
        let marks: [RedisLane.Mark]

        var isDue: Bool { marks.allSatisfy(\.isPassed) }
    }

    private var requests: [Waiting] = []
    var arrivals = Arrivals()
    /// Whether the thread has to be woken for the next request.
    private var isAsleep = false
    var isClosing = false
    private(set) var isClosed = false

    /// Whether there is nothing to send.
    var isEmpty: Bool { requests.isEmpty && arrivals.items.isEmpty }

    private var hasDue: Bool { requests.contains(where: \.isDue) }

    /// - Returns: whether to wake the thread.
    mutating func append(_ request: any RedisRequest, after marks: [RedisLane.Mark]) -> Bool {
        requests.append(Waiting(request: request, marks: marks))
        return wakes()
    }

    /// Whether the thread has something to do that it does not know yet.
    mutating func wakes() -> Bool {
        guard isAsleep, isClosing || hasDue else { return false }
        isAsleep = false
        return true
    }

    /// - Parameter takesRequests: whether requests end the sleep.
    /// - Returns: whether there is one already.
    mutating func fallAsleep(takesRequests: Bool) -> Bool {
        let hasDue = takesRequests && hasDue
        isAsleep = takesRequests && !hasDue
        return hasDue
    }

    /// Requests that wait for the same one of a lane keep their order.
    mutating func take() -> Arrivals {
        isAsleep = false
        arrivals.items += requests.lazy.filter(\.isDue).map { RedisPipeline.Item($0.request) }
        requests.removeAll(where: \.isDue)
        defer { arrivals = Arrivals() }
        return arrivals
    }

    /// Takes no more requests, and closes the connections that were not taken.
    ///
    /// - Returns: the requests that were not taken.
    mutating func close() -> [RedisPipeline.Item] {
        isClosed = true
        arrivals.lanes?.close()
        if case .ready(let opened)? = arrivals.outcome { opened.socket.close() }
        defer { (requests, arrivals) = ([], Arrivals()) }
        return arrivals.items + requests.map { RedisPipeline.Item($0.request) }
    }
}

/// Connections for lanes.
struct OpenedLanes: Sendable {
    /// The number of the connection that they are beside.
    let number: Int
    /// Nil for a lane that has one, or whose connection could not be made.
    let sockets: [RedisSocket?]

    func close() { for socket in sockets { socket?.close() } }
}
