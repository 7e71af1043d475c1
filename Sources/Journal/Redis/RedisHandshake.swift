import CHiredis
import Platform
import StoreHosting

/// How a process uses Redis.
struct RedisSettings: Sendable {
    let address: RedisAddress
    /// The first part of all keys.
    let prefix: String
    let isRelaxed: Bool
    let replicas: Int
    /// Where other nodes reach this one; nil if it is alone, and no other process may use the prefix.
    var node: String?
    /// The life of a process that is alone: it has one, while a node may lose its life and begin another.
    let life = Self.randomLife()
    /// For how long the sessions belong to this process after a sign of life.
    var lease = Duration.seconds(5)
    let sealer: any SecretSealer

    /// Random, because a counter would go back with the data after a failover. Lua represents it exactly.
    static func randomLife() -> Int { Int.random(in: 1..<1 << 53) }

    /// The hash tag that all keys begin with.
    var tag: String { "{\(prefix)}" }
}

/// What the script `open` has answered.
enum RedisLease: Sendable, Equatable {
    /// The storage is this process's until the lease ends.
    struct Opened: Sendable, Equatable {
        /// How many writes the storage has counted.
        let commits: Int
        let sessions: Int
        /// Names the newest loss of acknowledged commits; 0 if there was none.
        let lossID: Int
        let check: [UInt8]
        let time: [UInt8]
        /// Whether commits that this process had acknowledged are lost now.
        let hasLost: Bool
    }

    case opened(Opened)
    /// Another process has the storage alone, or this one cannot have it alone.
    case held
    /// Another process has had the storage since this one opened it.
    case taken
    /// The node's lease has ended.
    case forgotten
    /// A newer release has written it.
    case layout(String)

    /// The layout of the keys that this release writes.
    static let layout = "2"

    /// Nil if it is no such answer.
    init?(_ reply: RedisReply) {
        guard let fields = reply.array, let word = fields.first?.text else { return nil }
        switch word {
        case "OK":
            guard fields.count == 7, let commits = fields[1].integer, let sessions = fields[2].integer,
                let lossID = fields[3].integer, let check = fields[4].bytes, let time = fields[5].bytes
            else { return nil }
            self = .opened(
                Opened(
                    commits: commits, sessions: sessions, lossID: lossID, check: check, time: time,
                    hasLost: fields[6].integer == 1))
        case "HELD": self = .held
        case "TAKEN": self = .taken
        case "FORGOTTEN": self = .forgotten
        case "LAYOUT": self = .layout(fields.dropFirst().first?.text ?? "")
        default: return nil
        }
    }

    /// What a process does with its lease when it opens the storage.
    enum Mode: String {
        case register, renew
        /// Neither.
        case check
        /// It only looks, whatever other processes do.
        case read
    }

    /// The arguments of the script.
    ///
    /// - Parameters:
    ///   - known: the newest commit that this process has acknowledged; nil if there is none.
    ///   - life: that of the process or node.
    static func arguments(
        _ settings: RedisSettings, _ mode: Mode, life: Int, known: Int?, runID: String, check: [UInt8]
    ) -> [[UInt8]] {
        let first = [
            String(life), String(settings.lease.wholeMilliseconds), known.map(String.init) ?? "", runID,
            settings.isRelaxed ? "1" : "0",
        ]
        let last = [mode.rawValue, Self.layout, String(randomLossID()), settings.node ?? ""]
        return first.map { Array($0.utf8) } + [check] + last.map { Array($0.utf8) }
    }

    /// Random, because a counter would begin again where a backup ends. Lua represents it exactly.
    static func randomLossID() -> Int { Int.random(in: 1..<1 << 53) }
}

/// Makes a connection that is ready for commands, and blocks its thread for it.
struct RedisHandshake {
    enum Outcome: Sendable {
        case ready(RedisSocket, RedisLease.Opened, scripts: [RedisScript: [UInt8]], runID: String)
        /// It may succeed later.
        case failed(String)
        /// Another process uses the storage.
        case held(String)
        /// Another process has used the storage since this one opened it, so what this one has in memory is old.
        case taken
        /// It cannot succeed until somebody changes something.
        case refused(String)
    }

    private static let text = Array("storehouse".utf8)
    private static let timeout = Duration.seconds(1)

    let settings: RedisSettings
    /// The newest commit that this process has acknowledged; nil if it has not opened the storage yet.
    let known: Int?
    /// Whether it only looks, also while another process uses the storage.
    var isReader = false

    func run() -> Outcome {
        let socket: RedisSocket
        do throws(RedisSocket.Failure) {
            socket = try RedisSocket(settings.address.endpoint, timeout: Self.timeout)
        } catch {
            return .failed(error.detail)
        }
        var outcome: Outcome
        do {
            outcome = try open(socket)
        } catch let failure as RedisSocket.Failure {
            outcome = .failed(failure.detail)
        } catch let failure as StorageError {
            outcome = .refused(failure.description)
        } catch {
            outcome = .failed("it does not speak the protocol of Redis")
        }
        if case .ready = outcome {} else { socket.close() }
        return outcome
    }

    private var mode: RedisLease.Mode {
        if isReader { return .read }
        // A node gets its lease later: the time of the request counts.
        if settings.node != nil { return .check }
        return known == nil ? .register : .renew
    }

    private func open(_ socket: RedisSocket) throws -> Outcome {
        let exchange = RedisExchange(socket, until: .now + Self.timeout)
        var first: [RedisCommand] = []
        if let password = settings.address.password {
            first.append(
                settings.address.user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password))
        }
        first.append(RedisCommand("SELECT", String(settings.address.database)))
        first += ["server", "replication", "cluster"].map { RedisCommand("INFO", $0) }
        first.append(RedisFacts.query)
        var replies = try exchange(first)[...]
        let settingCount = first.count - 4
        for reply in replies.prefix(settingCount) {
            if case .error(let text) = reply { return Self.outcome(of: text) }
        }
        replies = replies.dropFirst(settingCount)
        for reply in replies.prefix(3) { if case .error(let text) = reply { return Self.outcome(of: text) } }
        let info = replies.prefix(3).compactMap(\.text).joined(separator: "\n")
        let facts = RedisFacts(info: info, configuration: replies.last ?? .null)
        if !isReader, let problem = facts.problem(isRelaxed: settings.isRelaxed) { return .refused(problem) }
        if facts.isReplica { return .failed("it is a replica and takes no commits") }
        let loads = RedisScript.allCases.map { RedisCommand("SCRIPT", "LOAD", $0.source) }
        var scripts: [RedisScript: [UInt8]] = [:]
        for (script, reply) in zip(RedisScript.allCases, try exchange(loads)) {
            if case .error(let text) = reply { return Self.outcome(of: text) }
            guard case .bytes(let hash) = reply else { return .failed("it does not answer as expected") }
            scripts[script] = hash
        }
        guard let check = settings.sealer.seal(Self.text), let open = scripts[.open] else {
            return .refused("storage.key cannot be used")
        }
        let arguments = RedisLease.arguments(
            settings, mode, life: settings.life, known: known, runID: facts.runID, check: check)
        let reply = try exchange([RedisCommand(evaluating: open, settings.tag, "", arguments)])[0]
        return outcome(of: reply, socket, scripts, facts.runID)
    }

    private func outcome(
        of reply: RedisReply, _ socket: RedisSocket, _ scripts: [RedisScript: [UInt8]], _ runID: String
    ) -> Outcome {
        if case .error(let text) = reply { return Self.outcome(of: text) }
        switch RedisLease(reply) {
        case .opened(let opened):
            guard settings.sealer.open(opened.check) == Self.text else {
                return .refused(
                    "its sessions are encrypted with another storage.key; set that one, or another storage.redis.prefix"
                )
            }
            return .ready(socket, opened, scripts: scripts, runID: runID)
        case .held:
            return .held(
                "another process uses it with the prefix '\(settings.prefix)'; stop that one, or set another storage.redis.prefix"
            )
        case .taken: return .taken
        case .layout(let layout):
            return .refused("its sessions have layout \(layout), and this release supports \(RedisLease.layout)")
        case .forgotten, nil: return .failed("it does not answer as expected")
        }
    }

    /// What an error means for the connection.
    static func outcome(of error: String) -> Outcome {
        switch error.prefix(while: { $0 != " " }) {
        case "NOAUTH", "WRONGPASS", "NOPERM": .refused("\(error); check the credentials of storage.redis.url")
        case "ERR" where error.contains("DB index") || error.contains("AUTH"):
            .refused("\(error); check storage.redis.url")
        default: .failed(error)
        }
    }
}

/// Sends some commands and waits for their replies.
struct RedisExchange {
    private let socket: RedisSocket
    private let deadline: ContinuousClock.Instant

    init(_ socket: RedisSocket, until deadline: ContinuousClock.Instant) {
        self.socket = socket
        self.deadline = deadline
    }

    func callAsFunction(_ commands: [RedisCommand]) throws -> [RedisReply] {
        let reader = try RedisReplyReader()
        var rest = commands.flatMap(\.bytes)[...]
        var replies: [RedisReply] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
        defer { buffer.deallocate() }
        while replies.count < commands.count {
            if rest.isEmpty {
                try socket.wait(for: POLLIN, until: deadline)
            } else {
                try socket.wait(for: POLLIN | POLLOUT, until: deadline)
                rest = rest.dropFirst(try socket.send(rest))
            }
            if let count = try socket.receive(into: buffer) {
                try reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                while let reply = try reader.next() { replies.append(reply) }
            }
        }
        return replies
    }
}

extension RedisCommand {
    /// A call of a script that the server knows by its hash.
    ///
    /// - Parameter session: the key that the script works on; empty for none.
    init(evaluating hash: [UInt8], _ tag: String, _ session: String, _ arguments: [[UInt8]]) {
        self.init([Array("EVALSHA".utf8), hash, [UInt8(ascii: "2")], Array(tag.utf8), Array(session.utf8)] + arguments)
    }
}
