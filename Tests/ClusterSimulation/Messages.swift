import Cluster

/// An operation in a session that a client requests, or the owner itself.
enum Operation {
    case read
    /// - key: 0 for none.
    case write(Int, key: Int, effect: Bool, timer: Bool)
    case end
    /// A stream that begins after a revision; after the newest one if that is nil.
    case stream(after: Int?)
    /// Loads the session, so that its timer fires.
    case wake
    /// An effect is over.
    case settle(effect: Int)
    case fireTimer

    /// The idempotency key; 0 for none.
    var key: Int { if case .write(_, let key, _, _) = self { key } else { 0 } }

    var isWrite: Bool {
        switch self {
        case .write, .end, .settle, .fireTimer: true
        case .read, .stream, .wake: false
        }
    }
}

/// The outcome of an operation.
enum Outcome: Equatable {
    case done(revision: Int)
    case ended
    case unavailable
    case unknown
    /// Between nodes only: the other node does not have the session.
    case notHere
    /// Between nodes only: there is no connection.
    case notSent
    /// Between nodes only: the connection is broken.
    case broken
}

/// One run of a node's process.
struct NodeRun: Hashable {
    let index: Int
    let run: Int
}

/// A request that another node waits for.
struct RemoteRequest: Hashable {
    let node: NodeRun
    let request: Int
    /// Counts the attempts of the request.
    let attempt: Int
}

/// Why a node sent a command to Redis.
enum CommandContext {
    case lease(NodeLease.Request)
    case claim(SessionDirectory<Int>.Claim)
    case append(Int, epoch: Int, sequence: Int)
    case release(Int, epoch: Int)
    case findDue
}

/// A message from one node to another.
enum NodeMessage {
    case request(RemoteRequest, Int, Operation, hops: Int, remaining: Int)
    case answer(RemoteRequest, Outcome)
    case event(RemoteRequest, from: NodeRun, request: Int, revision: Int)
    /// The stream has no reader any more.
    case cancel(request: Int)
}

/// A scheduled event of the simulation.
enum Event {
    case redisReceives(NodeRun, RedisCommand, CommandContext)
    case nodeReceivesAnswer(NodeRun, RedisAnswer, CommandContext)
    case nodeReceives(NodeRun, NodeMessage)
    case clientReceives(Int, Outcome)
    case streamReceives(Int, connection: Int, revision: Int)
    case streamEnds(Int, connection: Int)
    case timer(NodeRun, Timer)
    case replicate
    case load
    case fault
    case restart(Int)
    case redisContinues(Int)
    case failOver
    case retry(Int)
    case reconnect(Int)
}

/// A timer of a node, by its own clock.
enum Timer {
    case lease
    case findDue
    case look(request: Int)
    case attempt(request: Int, attempt: Int)
    case claim(SessionDirectory<Int>.Claim, since: Int)
    case append(Int, epoch: Int, sequence: Int, since: Int)
    case effect(Int, epoch: Int, effect: Int)
    case deadline(Int, epoch: Int)
    case release(Int, epoch: Int, since: Int)
    case giveUp(Int, epoch: Int)
    case handOver(Int, epoch: Int)
    case endReservation(Int, epoch: Int)
    case drain
}
