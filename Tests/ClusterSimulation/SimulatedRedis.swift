import Cluster

/// A Redis server with one replica: it is slow, stops, restarts, and is replaced by its replica.
///
/// It never loses what it has acknowledged: it syncs each command to its disk, and answers once the replica has it.
struct SimulatedRedis {
    private struct Unreplicated {
        let time: Int
        let command: RedisCommand
        let answer: (NodeRun, RedisAnswer, CommandContext)?
    }

    private(set) var model: RedisModel
    private var replica: RedisModel
    private var unreplicated: [Unreplicated] = []
    private var arrived: [(NodeRun, RedisCommand, CommandContext)] = []
    private var isDown = false
    private(set) var isStopped = false
    /// Counts the interruptions.
    private(set) var interruptions = 0
    private let rules: Rules

    init(sessionCount: Int, lease: Int, _ rules: Rules) {
        model = RedisModel(sessionCount: sessionCount, lease: lease)
        replica = model
        self.rules = rules
    }

    var isAvailable: Bool { !isDown && !isStopped }

    /// Whether the replica has to catch up.
    var lags: Bool { !unreplicated.isEmpty }

    /// Takes a command.
    ///
    /// - Returns: the answer, if the replica need not have the command.
    mutating func receive(
        _ node: NodeRun, _ command: RedisCommand, _ context: CommandContext, now: Int
    ) -> RedisAnswer? {
        if isDown { return nil }
        if isStopped {
            arrived.append((node, command, context))
            return nil
        }
        let answer = model.execute(command, now: now, rules)
        if case .findDue = command { return answer }
        var waits = true
        if case .append = command {} else { waits = rules.waitsForReplica }
        unreplicated.append(Unreplicated(time: now, command: command, answer: waits ? (node, answer, context) : nil))
        return waits ? nil : answer
    }

    /// The replica catches up.
    ///
    /// - Returns: the answers that have waited for it.
    mutating func replicate() -> [(NodeRun, RedisAnswer, CommandContext)] {
        guard isAvailable else { return [] }
        defer { unreplicated = [] }
        for item in unreplicated { _ = replica.execute(item.command, now: item.time, rules) }
        return unreplicated.compactMap(\.answer)
    }

    /// It takes no command until it continues, and keeps those that arrive.
    mutating func stop() {
        isStopped = true
        interruptions += 1
    }

    /// It is killed: the connections are lost, with the answers that were not sent.
    mutating func kill() {
        (isDown, isStopped) = (true, false)
        interruptions += 1
        arrived = []
        unreplicated = unreplicated.map { Unreplicated(time: $0.time, command: $0.command, answer: nil) }
    }

    /// It is killed, and the replica becomes the primary, with what it has.
    ///
    /// - Returns: the sessions whose newest commits are lost, and these.
    mutating func failOver() -> [(Int, Entry)] {
        kill()
        let lost = unreplicated.compactMap { item -> (Int, Entry)? in
            if case .append(let id, _, _, _, _, let entry) = item.command { (id, entry) } else { nil }
        }
        model = replica
        unreplicated = []
        return lost
    }

    /// It takes commands again.
    ///
    /// - Returns: those that arrived while it was stopped.
    mutating func `continue`() -> [(NodeRun, RedisCommand, CommandContext)] {
        (isDown, isStopped) = (false, false)
        defer { arrived = [] }
        return arrived
    }
}
