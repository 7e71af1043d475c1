import CCrypto
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
    let sealer: any SecretSealer
    /// Nil for a process that claims no sessions.
    var node: RedisNode?

    /// The hash tag that all keys begin with.
    var tag: String { "{\(prefix)}" }

    /// Those of a script that works on no session.
    var keys: RedisKeys { RedisKeys(tag: tag) }
}

/// A node among others that share the sessions.
struct RedisNode: Sendable {
    /// Where other nodes reach it. It is its name.
    let address: String
    /// Tells the secret of the nodes from another one, and not what it is.
    let secretCode: [UInt8]
    /// For how long sessions belong to the node after a sign of life.
    let lease: Duration

    init(_ address: String, secret: String, _ lease: Duration) {
        self.address = address
        self.lease = lease
        var code = [UInt8](repeating: 0, count: Int(CCRYPTO_DIGEST_LENGTH))
        let (key, text) = (Array(secret.utf8), Array("storehouse cluster.secret".utf8))
        _ = ccrypto_hmac_sha256(key, key.count, text, text.count, &code)
        secretCode = code
    }

    /// Random, because a counter would go back with the data after a failover. Lua represents it exactly.
    static func randomLife() -> Int { Int.random(in: 1..<1 << 53) }
}

/// What the script `open` has answered.
enum RedisLease: Sendable, Equatable {
    struct Opened: Sendable, Equatable {
        /// How many writes the storage has counted.
        let commits: Int
        let sessions: Int
        /// Names the newest loss of acknowledged commits; 0 if there was none.
        let lossID: Int
        let check: [UInt8]
        /// That of the secret of the nodes; empty if there was no node yet.
        let secretCheck: [UInt8]
        /// Whether commits that were acknowledged are lost now.
        let hasLost: Bool
        /// The addresses of the nodes whose leases hold.
        let nodes: Set<String>
    }

    case opened(Opened)
    /// A process of an earlier release has the storage alone.
    case held
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
            guard fields.count == 8, let commits = fields[1].integer, let sessions = fields[2].integer,
                let lossID = fields[3].integer, let check = fields[4].bytes, let secretCheck = fields[5].bytes,
                let nodes = fields[7].array
            else { return nil }
            self = .opened(
                Opened(
                    commits: commits, sessions: sessions, lossID: lossID, check: check, secretCheck: secretCheck,
                    hasLost: fields[6].integer == 1, nodes: Set(nodes.compactMap(\.text))))
        case "HELD": self = .held
        case "FORGOTTEN": self = .forgotten
        case "LAYOUT": self = .layout(fields.dropFirst().first?.text ?? "")
        default: return nil
        }
    }

    /// What a process does with its lease.
    enum Mode: String {
        case register, renew
        /// Neither.
        case check
        /// It only looks.
        case read
    }

    /// The arguments of the script.
    ///
    /// - Parameters:
    ///   - life: that of the node; 0 if the lease does not matter.
    ///   - known: the newest commit that this process knows; nil if there is none.
    ///   - checks: the sealed check values of the key and of the secret; empty if they do not matter.
    static func arguments(
        _ settings: RedisSettings, _ mode: Mode, life: Int = 0, known: Int?, runID: String,
        checks: (key: [UInt8], secret: [UInt8]) = ([], [])
    ) -> RedisArguments {
        var arguments = RedisArguments([
            String(life), String(settings.node?.lease.wholeMilliseconds ?? 0), known.map(String.init) ?? "", runID,
            settings.isRelaxed ? "1" : "0",
        ])
        arguments.add(checks.key)
        for word in [mode.rawValue, Self.layout, String(randomLossID()), settings.node?.address ?? ""] {
            arguments.add(word)
        }
        arguments.add(checks.secret)
        return arguments
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
        /// It cannot succeed until somebody changes something.
        case refused(String)
    }

    private static let text = Array("storehouse".utf8)
    private static let timeout = Duration.seconds(1)

    let settings: RedisSettings
    /// The newest commit that this process knows; nil if it has not opened the storage yet.
    var known: Int?
    /// Whether it only looks.
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
        guard let check = settings.sealer.seal(Self.text), let open = scripts[.open],
            let secretCheck = settings.sealer.seal(settings.node?.secretCode ?? [])
        else { return .refused("storage.key cannot be used") }
        // A node gets its lease later: the time of the request counts.
        let arguments = RedisLease.arguments(
            settings, isReader ? .read : .check, known: known, runID: facts.runID,
            checks: (check, settings.node == nil ? [] : secretCheck))
        let reply = try exchange([RedisCommand(evaluating: open, settings.keys, arguments)])[0]
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
            guard settings.node.map({ settings.sealer.open(opened.secretCheck) == $0.secretCode }) ?? true else {
                return .refused(
                    "its nodes have another cluster.secret; set that one, or stop all nodes, delete the field 'secret' of the key "
                        + "'\(settings.tag):meta', and start them with a new one")
            }
            return .ready(socket, opened, scripts: scripts, runID: runID)
        case .held:
            return .failed(
                "a server of an earlier release uses it alone with the prefix '\(settings.prefix)'; stop that one")
        case .layout(let layout):
            return .refused(
                "its sessions have layout \(layout), and this release supports \(RedisLease.layout); start a newer release"
            )
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
