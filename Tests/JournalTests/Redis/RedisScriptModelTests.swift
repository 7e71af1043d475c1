import Cluster
import ClusterSimulation
import Journal
import RedisJournal
import RedisTesting
import Testing

/// The scripts do what the model does that the simulation of many nodes has tried.
@Suite("The scripts and their model", .timeLimit(.minutes(5)))
struct RedisScriptModelTests {
    @Test("agree on claims, commits, ends and timers of several nodes", arguments: [1, 2, 3])
    func agree(seed: UInt64) throws {
        var pair = try Pair(seed)
        for _ in 0..<400 { try pair.step() }
        let counts = [pair.creations, pair.claims, pair.commits, pair.refusals, pair.releases]
        #expect(counts.allSatisfy { $0 > 5 }, "the operations are not worth it")
    }
}

/// A Redis server and a model of it, to which the same is done.
private struct Pair {
    /// By the clock of the model. The timers of the server lie as far back.
    private static let now = 1000

    private let server: RedisServer
    private let client: RedisClient
    private var model = RedisModel(sessionCount: 0, lease: 1000)
    private var random: SeededRandom
    private var lives: [NodeIncarnation] = []
    /// The claims that were made, the newest last: whose they are, and the number and revision of the next commit.
    private var made: [(session: Int, incarnation: NodeIncarnation, epoch: Int, sequence: Int, revision: Int)] = []
    private var sessionCount = 0
    private(set) var (creations, claims, commits, refusals, releases) = (0, 0, 0, 0, 0)

    init(_ seed: UInt64) throws {
        server = try RedisServer(["--appendonly", "no"])
        guard let sealer = RedisServer.sealer else { throw Missing(id: "sealer") }
        client = try RedisClient(
            RedisAddress("unix://\(server.socket)"), prefix: "test", sealer: sealer, timeouts: .long)
        random = SeededRandom(seed: seed)
        for _ in 0..<3 { try register() }
        for _ in 0..<4 { try create(isNew: true) }
    }

    mutating func step() throws {
        guard let incarnation = lives.randomElement(using: &random) else { return try register() }
        // The newest are the busiest.
        let session = Int.random(in: max(0, sessionCount - 5)..<sessionCount, using: &random)
        switch Int.random(in: 0..<22, using: &random) {
        case 0: try register()
        case 1: try renew(incarnation)
        case 2: try forget(incarnation)
        case 3..<8: try claim(session, incarnation)
        case 8..<17: try append()
        case 17: try findDue(incarnation)
        case 18 where claims > 20: try end()
        case 19: try create(isNew: Bool.random(using: &random))
        case 20...21: try release()
        default: break
        }
    }

    private func lease(_ mode: String, _ incarnation: NodeIncarnation) throws -> [String] {
        try run(
            .open, nil,
            [
                "\(incarnation.number)", "10000000", "", "run", "0", "check", mode, "3", "", incarnation.address, "",
                "", "",
            ])
    }

    private mutating func register() throws {
        let answer = model.execute(.lease(.register, address: "n\(lives.count):1"), now: Self.now, Rules())
        guard case .lease(.granted(let incarnation)) = answer else { throw Missing(id: "incarnation") }
        lives.append(incarnation)
        #expect(try lease("register", incarnation).first == "OK")
    }

    private mutating func renew(_ incarnation: NodeIncarnation) throws {
        let answer = model.execute(.lease(.renew(incarnation), address: ""), now: Self.now, Rules())
        let word = if case .lease(.granted) = answer { "OK" } else { "FORGOTTEN" }
        #expect(try lease("renew", incarnation).first == word)
    }

    /// Ends a lease: the node gives it back, or its time is over.
    private mutating func forget(_ incarnation: NodeIncarnation) throws {
        _ = model.execute(.lease(.leave(incarnation), address: ""), now: Self.now, Rules())
        if Bool.random(using: &random) {
            try run(.leave, nil, ["\(incarnation.number)"])
        } else if try execute(["HEXISTS", "{test}:nodes", "\(incarnation.number)"]) == ["1"] {
            try execute(["HSET", "{test}:nodes", "\(incarnation.number)", "1 \(incarnation.address)"])
        }
        if lives.count > 6 { lives.removeAll { $0 == incarnation } }
    }

    /// Creates a session, or tries to create one again.
    private mutating func create(isNew: Bool) throws {
        guard let incarnation = lives.randomElement(using: &random) else { return }
        let (session, number, epoch): (Int, Int, Int)
        if isNew {
            (session, number, epoch) = (sessionCount, incarnation.number, Int.random(in: 1..<1 << 32, using: &random))
        } else if Bool.random(using: &random), let one = made.randomElement(using: &random) {
            (session, number, epoch) = (one.session, one.incarnation.number, one.epoch)
        } else {
            (session, number, epoch) = (Int.random(in: 0..<sessionCount, using: &random), incarnation.number, 1)
        }
        let answer = model.execute(.create(session, incarnation: number, epoch: epoch), now: Self.now, Rules())
        try execute(["SET", "{test}:initial:0", "state"])
        for list in ["ids", "used"] { try execute(["ZADD", "{test}:\(list)", "1", "\(session)"]) }
        let fields = [
            "id": "id \(session)", "header": "header", "sequence": "0", "initial": "{test}:initial:0", "revision": "0",
            "cut": "0", "owner": "",
        ]
        let reply = try run(
            .create, session,
            ["\(session)", "{test}:initial:0", "", "\(number) \(epoch)"] + fields.flatMap { [$0.key, $0.value] })
        let isDone = if case .done = answer { true } else { false }
        #expect(reply.first == (isDone ? "OK" : "EXISTS"))
        guard isNew else { return }
        made.append((session, incarnation, epoch, 1, 0))
        sessionCount += 1
        creations += 1
    }

    private mutating func claim(_ session: Int, _ incarnation: NodeIncarnation) throws {
        let answer = model.execute(.claim(session, incarnation: incarnation.number), now: Self.now, Rules())
        let reply = try run(.load, session, ["\(session)", "\(incarnation.number)", "0"])
        switch answer {
        case .claimed(let stored):
            #expect(reply.first == "OK")
            let fields = try execute(["HMGET", "{test}:s:\(session)", "claim", "revision", "sequence"])
            #expect(fields == ["\(incarnation.number) \(stored.epoch)", "\(stored.log.count)", "0"])
            made.append((session, incarnation, stored.epoch, 1, stored.log.count))
            claims += 1
        case .owned(let owner): #expect(reply == ["OWNED", owner.address])
        case .nothing: #expect(reply.first == "ENDED")
        case .forgotten: #expect(reply == ["FORGOTTEN"])
        default: throw Missing(id: "answer")
        }
    }

    /// Appends with a claim that may be old, sometimes with a number or revision that is.
    private mutating func append() throws {
        guard let index = made.indices.suffix(8).randomElement(using: &random) else { return }
        let (session, incarnation, epoch, next, revision) = made[index]
        let sequence = next - (Int.random(in: 0..<5, using: &random) == 0 ? 1 : 0)
        let base = max(0, revision - (Int.random(in: 0..<5, using: &random) == 0 ? 1 : 0))
        let due = Bool.random(using: &random) ? Int.random(in: 1..<100, using: &random) : nil
        let entry = Entry(kind: due == nil ? .timer : .write(1), deadline: due)
        let command = (session, incarnation.number, epoch, sequence, base)
        let answer = model.execute(
            .append(
                command.0, incarnation: command.1, epoch: command.2, sequence: command.3, revision: command.4, entry),
            now: Self.now, Rules())
        let claim = "\(incarnation.number) \(epoch)"
        let reply = try run(
            .append, session, [claim, "\(sequence)", "\(base)", "1", "commit", "\(base + 1)", "0", "0", "1"])
        let isDone = if case .done = answer { true } else { false }
        #expect((reply.first.flatMap { Int($0) } != nil) == isDone)
        let time = due.map(String.init) ?? "-"
        guard isDone else {
            if reply == ["FENCED"] {
                #expect(try run(.schedule, session, ["\(session)", claim, "\(sequence)", time]) == ["FENCED"])
            }
            refusals += 1
            return
        }
        commits += 1
        if sequence == next {
            try run(.schedule, session, ["\(session)", claim, "\(sequence)", time])
            (made[index].sequence, made[index].revision) = (next + 1, base + 1)
        }
        #expect(try execute(["HGET", "{test}:s:\(session)", "revision"]) == ["\(made[index].revision)"])
    }

    private mutating func end() throws {
        guard let (session, incarnation, epoch, _, _) = made.randomElement(using: &random) else { return }
        let answer = model.execute(.end(session, incarnation: incarnation.number, epoch: epoch), now: Self.now, Rules())
        let reply = try run(.end, session, ["\(session)", "\(incarnation.number) \(epoch)", "10000000", "", ""])
        let isDone = if case .done = answer { true } else { false }
        #expect((reply.first == "OK") == isDone)
        for trace in ["due", "ids", "used"] { try run(.unindex, session, [trace, "\(session)", ""]) }
    }

    /// Gives a session back with a claim that may be old.
    private mutating func release() throws {
        guard let (session, incarnation, epoch, _, _) = made.suffix(8).randomElement(using: &random) else { return }
        let answer = model.execute(
            .release(session, incarnation: incarnation.number, epoch: epoch), now: Self.now, Rules())
        let isDone = if case .done = answer { true } else { false }
        let reply = try run(.release, session, ["\(incarnation.number) \(epoch)"])
        #expect((reply.first.flatMap { Int($0) } != nil) == isDone)
        if isDone { releases += 1 }
    }

    private mutating func findDue(_ incarnation: NodeIncarnation) throws {
        let answer = model.execute(.findDue(incarnation: incarnation.number, limit: 10), now: Self.now, Rules())
        guard case .due(let due) = answer else { throw Missing(id: "answer") }
        let reply = try run(.due, nil, ["-inf", "", "\(Self.now)", "10", "\(incarnation.number)"])
        #expect(reply.filter { $0.hasPrefix("id ") } == due.map { "id \($0)" })
    }

    /// Executes a script, and returns the lines of the reply.
    @discardableResult
    private func run(_ script: RedisScript, _ session: Int?, _ arguments: [String]) throws -> [String] {
        let keys = session.map { ["2", "{test}", "{test}:s:\($0)"] } ?? ["1", "{test}"]
        return try execute(["EVAL", script.source] + keys + arguments)
    }

    @discardableResult
    private func execute(_ words: [String]) throws -> [String] {
        try client.execute(RedisBatch(RedisCommand(words))).flatMap(lines)
    }

    private func lines(_ reply: RedisReply) -> [String] {
        switch reply {
        case .null: []
        case .integer(let number): ["\(number)"]
        case .bytes(let bytes): [String(decoding: bytes, as: UTF8.self)]
        case .array(let replies): replies.flatMap(lines)
        case .error(let text): [text]
        }
    }
}
