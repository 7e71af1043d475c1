import Dispatch
import FaultyServices
import Journal
import Locks
import Platform
import RedisJournal
import RedisTesting

/// Passes bytes between a journal and its Redis, and adds some that are no reply.
final class RedisRelay: Sendable {
    let server: RedisServer
    let address: RedisAddress
    private let redisPort: Int
    private let listener: Int32
    private let alarm: (reader: Int32, writer: Int32)
    private let isSpoiling = Locked(false)
    private let isOver = Locked(false)

    init() throws {
        let port: UInt16
        (listener, port) = try TestSocket.listen()
        address = try RedisAddress("redis://127.0.0.1:\(port)")
        (server, redisPort) = try RedisServer.startOnPort()
        alarm = try TestSocket.pipe()
        DispatchQueue(label: "relay").async { [self] in run() }
    }

    /// Adds the bytes to the next reply.
    func spoilNext() { isSpoiling.withLock { $0 = true } }

    func stop() {
        isOver.withLock { $0 = true }
        TestSocket.poke(alarm.writer)
    }

    private func run() {
        // The two ends of each connection, the one to the journal first.
        var pairs: [(journal: Int32, redis: Int32)] = []
        while !isOver.withLock(\.self) {
            let descriptors = [alarm.reader, listener] + pairs.flatMap { [$0.journal, $0.redis] }
            var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            pairs.removeAll { pair in
                if pass(from: pair.journal, to: pair.redis), pass(from: pair.redis, to: pair.journal, isReply: true) {
                    return false
                }
                TestSocket.shut(pair.journal)
                TestSocket.shut(pair.redis)
                return true
            }
            if let journal = TestSocket.accept(listener), let redis = try? TestSocket.connect(to: UInt16(redisPort)) {
                pairs.append((journal, redis))
            }
        }
        for descriptor in pairs.flatMap({ [$0.journal, $0.redis] }) + [listener, alarm.reader, alarm.writer] {
            TestSocket.shut(descriptor)
        }
    }

    /// - Returns: false at the end of the connection.
    private func pass(from source: Int32, to target: Int32, isReply: Bool = false) -> Bool {
        guard var bytes = TestSocket.read(source) else { return true }
        guard !bytes.isEmpty else { return false }
        if isReply {
            isSpoiling.withLock { isSpoiling in
                if isSpoiling { bytes += Array("no reply\r\n".utf8) }
                isSpoiling = false
            }
        }
        while !bytes.isEmpty {
            guard let count = TestSocket.send(target, bytes) else { return false }
            bytes.removeFirst(count)
        }
        return true
    }
}
