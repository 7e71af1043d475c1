import CHiredis
import Cluster
import Journal
import Locks
import Platform
import StoreHosting

/// A connection that is ready for commands.
struct OpenedRedis: Sendable {
    let socket: RedisSocket
    let lease: RedisLease.Opened
    let scripts: [RedisScript: [UInt8]]
    let server: StorageLineage.Server
    /// Names the run of the server; empty if it does not tell.
    let runID: String
    /// The nodes of its cluster, if it is one.
    let clusterNodes: [RedisAddress.Endpoint]
}

/// Makes a connection that is ready for commands, and blocks its thread for it.
struct RedisHandshake {
    enum Outcome: Sendable {
        case ready(OpenedRedis)
        /// It may succeed later.
        case failed(String)
        /// It cannot succeed until somebody changes something.
        case refused(String)
    }

    static let text = Array("storehouse".utf8)
    /// How many nodes of a cluster may name another one, before a later attempt begins anew.
    private static let maxRedirects = 5
    /// How many of the other nodes are asked in one attempt. Each may let the caller wait.
    private static let maxOthers = 3

    let settings: RedisSettings
    /// The node of Redis Cluster that has the keys, as far as is known; nil to ask the configured one.
    var endpoint: RedisAddress.Endpoint?
    /// Other nodes of the cluster, to ask if the configured one does not answer.
    var others: [RedisAddress.Endpoint] = []
    /// The newest writes that this process knows; nil if it has not opened the storage yet.
    var known: StorageLineage.Witness?
    /// Whether it only looks.
    var isReader = false
    // Guards what all attempts have seen of the nodes of earlier releases. Nothing is called while it is held.
    var earlierNodes = Locked(EarlierNodes())

    /// Connects to the server, or to the node of its cluster that has the keys.
    func run() -> Outcome {
        let configured = settings.address.endpoint
        if let endpoint, endpoint != configured {
            let outcome = follow(from: endpoint)
            // Any node of the cluster knows where the keys are now.
            guard case .failed = outcome else { return outcome }
        }
        let outcome = follow(from: configured)
        guard case .failed = outcome else { return outcome }
        let others = others.filter { $0 != endpoint && $0 != configured }
        for other in others.shuffled().prefix(Self.maxOthers) {
            let outcome = follow(from: other)
            guard case .failed = outcome else { return outcome }
        }
        return outcome
    }

    /// Goes from node to node, as each says which other one has the keys.
    private func follow(from first: RedisAddress.Endpoint) -> Outcome {
        var endpoint = first
        for _ in 0...Self.maxRedirects {
            switch attempt(endpoint) {
            case .redirected(let next): endpoint = next
            case .done(let outcome):
                guard endpoint != settings.address.endpoint else { return outcome }
                switch outcome {
                case .ready: return outcome
                case .failed(let detail): return .failed("the node \(endpoint) of its cluster: \(detail)")
                case .refused(let detail): return .refused("the node \(endpoint) of its cluster: \(detail)")
                }
            }
        }
        return .failed("the nodes of its cluster do not agree on which of them has the sessions")
    }

    /// The result of one connection: an outcome, or the node to ask next.
    private enum Attempt {
        case done(Outcome)
        case redirected(RedisAddress.Endpoint)
    }

    private func attempt(_ endpoint: RedisAddress.Endpoint) -> Attempt {
        let socket: RedisSocket
        do throws(RedisSocket.Failure) {
            socket = try RedisSocket(endpoint, timeout: settings.timeouts.exchange)
        } catch {
            return .done(.failed(error.detail))
        }
        var attempt: Attempt
        do {
            attempt = try open(socket)
        } catch let failure as RedisSocket.Failure {
            attempt = .done(.failed(failure.detail))
        } catch let failure as StorageError {
            attempt = .done(.refused(failure.description))
        } catch {
            attempt = .done(.failed("it does not speak the protocol of Redis"))
        }
        if case .done(.ready) = attempt {} else { socket.close() }
        return attempt
    }

    /// The first commands: for the connection, about the server, and where the keys are.
    private var introduction: (settings: [RedisCommand], questions: [RedisCommand]) {
        var first: [RedisCommand] = []
        if let password = settings.address.password {
            first.append(
                settings.address.user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password))
        }
        first.append(RedisCommand("SELECT", String(settings.address.database)))
        // A node of Redis Cluster that does not have the keys names the one that has them.
        let lookup = RedisCommand("EXISTS", "\(settings.tag):meta")
        return (first, ["server", "replication"].map { RedisCommand("INFO", $0) } + [lookup, settings.query])
    }

    private func open(_ socket: RedisSocket) throws -> Attempt {
        let exchange = RedisExchange(socket, until: .now + settings.timeouts.exchange)
        let introduction = introduction
        let replies = try exchange(RedisBatch(introduction.settings + introduction.questions))
        let answers = Array(replies.dropFirst(introduction.settings.count))
        let info = answers.prefix(2).compactMap(\.text).joined(separator: "\n")
        let facts = RedisFacts(info: info, configuration: answers[3])
        // It knows few of these commands.
        if facts.isSentinel { return .done(.refused(RedisFacts.sentinelProblem)) }
        for reply in replies.dropLast() {
            guard case .error(let text) = reply else { continue }
            if let next = RedisRedirect(error: text)?.endpoint(from: socket.endpoint) { return .redirected(next) }
            return .done(Self.outcome(of: text))
        }
        return .done(try open(socket, exchange, facts))
    }

    private func open(_ socket: RedisSocket, _ exchange: RedisExchange, _ facts: RedisFacts) throws -> Outcome {
        let isTrusted = settings.areTrusted
        if !isReader, let problem = facts.problem(isRelaxed: settings.isRelaxed, isTrusted: isTrusted) {
            return .refused(problem)
        }
        if facts.isReplica { return .failed("it is a replica and takes no commits") }
        let loads = RedisScript.allCases.map { RedisCommand("SCRIPT", "LOAD", $0.source) }
        var scripts: [RedisScript: [UInt8]] = [:]
        for (script, reply) in zip(RedisScript.allCases, try exchange(RedisBatch(loads))) {
            if case .error(let text) = reply { return Self.outcome(of: text) }
            guard case .bytes(let hash) = reply else { return .failed("it does not answer as expected") }
            scripts[script] = hash
        }
        let nodes = facts.isOfCluster ? try exchange(RedisBatch(RedisClusterNodes.query))[0] : .null
        let call = { (arguments: RedisArguments) in
            let open = scripts[.open] ?? []
            return try exchange(RedisBatch(RedisCommand(evaluating: open, settings.keys, arguments)))[0]
        }
        switch try join(facts, call) {
        case .failure(let stop): return stop.outcome
        case .success(let opened):
            let endpoints = RedisClusterNodes.endpoints(nodes, from: socket.endpoint)
            return .ready(
                OpenedRedis(
                    socket: socket, lease: opened, scripts: scripts, server: facts.server, runID: facts.runID,
                    clusterNodes: endpoints))
        }
    }

    /// Makes a connection beside one that has opened the storage.
    ///
    /// - Returns: nil if it leads to another run of a server: that one may have lost commits which nobody has noticed yet.
    func lane(to endpoint: RedisAddress.Endpoint, _ run: String) -> RedisSocket? {
        guard let socket = try? RedisSocket(endpoint, timeout: settings.timeouts.exchange) else { return nil }
        let exchange = RedisExchange(socket, until: .now + settings.timeouts.exchange)
        let commands = introduction.settings + ["server", "replication"].map { RedisCommand("INFO", $0) }
        if let replies = try? exchange(RedisBatch(commands)) {
            let facts = RedisFacts(info: replies.compactMap(\.text).joined(separator: "\n"), configuration: .null)
            if facts.runID == run, !facts.isReplica { return socket }
        }
        socket.close()
        return nil
    }

    /// Decides by an error whether a later attempt may succeed.
    static func outcome(of error: String) -> Outcome {
        switch error.prefix(while: { $0 != " " }) {
        case _ where RedisVerdict.isOfPermissions(error): .refused(RedisVerdict.explanation(of: error))
        case "NOAUTH", "WRONGPASS": .refused("\(error); check the credentials of storage.redis.url")
        case "ERR" where error.contains("cluster mode"):
            .refused("Redis Cluster has no database but 0; remove the database from storage.redis.url")
        case "ERR" where error.contains("DB index") || error.contains("AUTH"):
            .refused("\(error); check storage.redis.url")
        default: .failed(RedisVerdict.explanation(of: error))
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

    func callAsFunction(_ commands: RedisBatch) throws -> [RedisReply] {
        let reader = try RedisReplyReader()
        var rest = commands.bytes[...]
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
