package import Journal
package import StoreHosting

/// A connection that blocks its caller.
package final class RedisClient {
    private static let timeout = Duration.seconds(60)

    private let settings: RedisSettings
    private let isReader: Bool
    private var socket: RedisSocket
    private let scripts: [RedisScript: [UInt8]]
    let lineageID: Int
    let sessions: Int
    /// The nodes that used the storage when the client connected.
    let nodes: Set<String>

    init(_ settings: RedisSettings, isReader: Bool) throws(StorageError) {
        self.settings = settings
        self.isReader = isReader
        let opened: RedisLease.Opened
        (socket, opened, scripts) = try Self.connect(settings, isReader: isReader)
        (lineageID, sessions, nodes) = (opened.lineageID, opened.sessions, opened.nodes)
    }

    private static func connect(
        _ settings: RedisSettings, isReader: Bool, to endpoint: RedisAddress.Endpoint? = nil
    ) throws(StorageError) -> (RedisSocket, RedisLease.Opened, [RedisScript: [UInt8]]) {
        switch RedisHandshake(settings: settings, endpoint: endpoint, isReader: isReader).run() {
        case .ready(let opened): return (opened.socket, opened.lease, opened.scripts)
        case .failed(let detail), .refused(let detail): throw .refused("\(settings.address): \(detail)")
        }
    }

    /// A connection that changes nothing by itself.
    package convenience init(
        _ address: RedisAddress, prefix: String, sealer: any SecretSealer, timeouts: RedisTimeouts = RedisTimeouts()
    ) throws(StorageError) {
        let settings = RedisSettings(
            address: address, prefix: prefix, isRelaxed: false, replicas: 0, sealer: sealer, timeouts: timeouts)
        try self.init(settings, isReader: true)
    }

    func close() { socket.close() }

    /// Sends commands, and waits for their replies. If the first was not executed because another node of the cluster has the keys
    /// now, the commands are sent to that one.
    package func execute(_ commands: RedisBatch) throws(StorageError) -> [RedisReply] {
        let replies = try exchange(commands)
        guard case .error(let text) = replies.first,
            let next = RedisRedirect(error: text)?.endpoint(from: socket.endpoint)
        else { return replies }
        let (found, _, _) = try Self.connect(settings, isReader: isReader, to: next)
        socket.close()
        socket = found
        return try exchange(commands)
    }

    private func exchange(_ commands: RedisBatch) throws(StorageError) -> [RedisReply] {
        do {
            return try RedisExchange(socket, until: .now + Self.timeout)(commands)
        } catch let failure as RedisSocket.Failure {
            throw .refused("\(settings.address): \(failure.detail)")
        } catch {
            throw .refused("\(settings.address) does not speak the protocol of Redis")
        }
    }

    /// - Throws: that something is damaged if the script cannot be executed.
    func reply(
        _ script: RedisScript, of session: String? = nil, _ arguments: [String]
    ) throws(JournalError) -> [RedisReply] {
        let replies: [RedisReply]
        do throws(StorageError) {
            let keys = RedisKeys(tag: settings.tag, session: session)
            replies = try execute(RedisBatch(encode(script, keys, RedisArguments(arguments))))
        } catch {
            throw .unavailable(error.description)
        }
        return try replies[0].result.get().array ?? []
    }

    func call(_ script: RedisScript, _ arguments: [String]) throws(StorageError) -> [RedisReply] {
        do throws(JournalError) {
            return try reply(script, arguments)
        } catch {
            throw .refused(error.detail)
        }
    }

    /// Changes something, and waits until replicas have it.
    ///
    /// - Returns: the reply that is the result.
    @discardableResult
    func change(_ batch: RedisBatch?) throws(StorageError) -> RedisReply {
        guard var batch else { throw .refused("\(settings.address) does not know the scripts") }
        let (count, resultIndex) = (batch.count, batch.resultIndex)
        batch.append(encode(.count, settings.keys, RedisArguments()))
        if settings.replicas > 0 { batch.append(RedisCommand("WAIT", String(settings.replicas), "10000")) }
        let replies = try execute(batch)
        for reply in [replies[resultIndex], replies[count]] {
            if case .error(let text) = reply { throw .refused("\(settings.address): \(text)") }
        }
        guard settings.replicas == 0 || replies[count + 1].integer ?? 0 >= settings.replicas else {
            throw .refused("\(settings.address) has executed this, but fewer than \(settings.replicas) replicas have")
        }
        return replies[resultIndex]
    }

    /// A call of a script.
    func encode(_ script: RedisScript, _ keys: RedisKeys, _ arguments: consuming RedisArguments) -> RedisCommand {
        RedisCommand(evaluating: scripts[script] ?? [], keys, arguments)
    }
}
