import Locks
import Platform
import StoreHosting
import Synchronization

/// The work of the connection's thread.
final class RedisLoop: @unchecked Sendable {
    // Sendable, because only the thread that made it uses it: commands are completed there too.

    private static let beat = Duration.milliseconds(500)
    /// How long the server may say nothing while an answer is outstanding.
    private static let silence = Duration.seconds(2)

    private let connection: RedisConnection
    private var pipeline: RedisPipeline
    private var socket: RedisSocket?
    private var reader: RedisReplyReader?
    private var runID = ""
    private var output: ArraySlice<UInt8> = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

    private var isConnecting = false
    private var nextConnection = ContinuousClock.now
    private var nextBeat = ContinuousClock.now
    /// When the server was last heard, or began to owe an answer.
    private var lastSign = ContinuousClock.now
    private var sendStart: ContinuousClock.Instant?
    /// Why there is no connection.
    private var reason = "it is not connected yet"
    private var isReported = false
    private var isOver = false
    private var wasOpened: Bool

    /// - Parameter outcome: a connection that is ready; nil if there is none yet.
    init(_ connection: RedisConnection, _ outcome: RedisHandshake.Outcome?) {
        self.connection = connection
        pipeline = RedisPipeline(replicas: connection.settings.replicas)
        wasOpened = false
        if let outcome { take(outcome) } else { isReported = true }
    }

    deinit { buffer.deallocate() }

    func run() {
        while !isOver {
            if socket == nil, !isConnecting, ContinuousClock.now >= nextConnection {
                isConnecting = true
                connection.connect()
            }
            let events = connection.wait(socket, forWriting: !output.isEmpty || pipeline.hasUnsent, until: nextWakeup)
            takeInbox()
            if isOver { return }
            if events.canRead { receive() }
            expire()
            beat()
            flush()
        }
    }

    private var nextWakeup: ContinuousClock.Instant {
        var next = nextBeat
        if socket == nil, !isConnecting { next = min(next, nextConnection) }
        if let deadline = pipeline.nextDeadline { next = min(next, deadline) }
        return next
    }

    private func takeInbox() {
        let (requests, outcome, closing) = connection.inbox.withLock { inbox in
            defer { (inbox.requests, inbox.outcome) = ([], nil) }
            return (inbox.requests, inbox.outcome, inbox.closing)
        }
        for request in requests { pipeline.append(request) }
        if let outcome { take(outcome) }
        guard !closing.isEmpty, pipeline.isEmpty || socket == nil else { return }
        close()
    }

    private func take(_ outcome: RedisHandshake.Outcome) {
        isConnecting = false
        switch outcome {
        case .ready(let socket, let opened, let scripts, let runID):
            guard let reader = try? RedisReplyReader() else { return disconnect("there is no memory") }
            self.reader = consume reader
            (self.socket, self.runID) = (socket, runID)
            connection.scripts.withLock { $0 = scripts }
            adopt(opened)
            lastSign = .now
            nextBeat = .now + Self.beat
            wasOpened = true
            connection.isReady.store(true, ordering: .releasing)
            if isReported { connection.report(.recovered) }
            isReported = false
        case .failed(let detail), .held(let detail): disconnect(detail)
        case .taken: leave()
        case .refused(let detail):
            if !wasOpened { connection.report(.refused("\(connection.settings.address): \(detail)")) }
            disconnect(detail)
        }
    }

    private func adopt(_ opened: RedisLease.Opened) {
        connection.live.store(opened.sessions, ordering: .relaxed)
        connection.losses.store(opened.losses, ordering: .releasing)
        connection.acknowledged.store(opened.commits, ordering: .relaxed)
        if opened.hasLost { connection.report(.lostCommits) }
    }

    private func receive() {
        guard let socket else { return }
        do {
            while let count = try socket.receive(into: buffer) {
                try reader?.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                lastSign = .now
                while let reply = try reader?.next() {
                    perform(pipeline.receive(reply))
                    if self.socket == nil { return }
                }
                if count < buffer.count { break }
            }
        } catch let failure as RedisSocket.Failure {
            disconnect(failure.detail)
        } catch {
            disconnect("it does not speak the protocol of Redis")
        }
    }

    private func perform(_ step: RedisPipeline.Step) {
        if let refusal = step.refusal { refuse(refusal) }
        connection.waitingBytes.subtract(step.byteCount, ordering: .relaxed)
        // The replies of a lost connection are lost with it: what was not completed is sent again.
        if step.mustReconnect { disconnect(step.refusal ?? reason) }
        for completion in step.completions { completion() }
        guard step.hasWritten else { return }
        if let start = sendStart, !pipeline.isWaiting {
            sendStart = nil
            connection.transactions.add(1, ordering: .relaxed)
            connection.observer.call(ContinuousClock.now - start)
        }
    }

    /// The server has refused a command that it might have executed: it is out of memory, or cannot write its disk.
    private func refuse(_ detail: String) {
        reason = detail
        guard !connection.isRefusing.exchange(true, ordering: .relaxed), !isReported else { return }
        isReported = true
        connection.report(.disconnected(detail))
    }

    private func expire() {
        let now = ContinuousClock.now
        if socket != nil { reason = "it does not answer" }
        perform(pipeline.expire(now, because: reason))
        if socket != nil, pipeline.isWaiting, now - lastSign > Self.silence { disconnect("it does not answer") }
    }

    private func disconnect(_ detail: String) {
        reason = detail
        connection.isReady.store(false, ordering: .releasing)
        socket?.close()
        socket = nil
        reader = nil
        output = []
        sendStart = nil
        pipeline.disconnect()
        nextConnection = .now + .milliseconds(100)
        guard !isReported else { return }
        isReported = true
        connection.report(.disconnected(detail))
    }

    private func flush() {
        guard let socket else { return }
        do throws(RedisSocket.Failure) {
            while true {
                if output.isEmpty {
                    guard pipeline.hasUnsent else { return }
                    if !pipeline.isWaiting { (lastSign, sendStart) = (.now, .now) }
                    output = pipeline.take()[...]
                }
                let count = try socket.send(output)
                output = output.dropFirst(count)
                if !output.isEmpty { return }
            }
        } catch {
            disconnect(error.detail)
        }
    }

    private func close() {
        isOver = true
        defer { socket = nil }
        // Commands that came meanwhile fail.
        let (requests, closing) = connection.inbox.withLock { inbox in
            inbox.isClosed = true
            defer { (inbox.requests, inbox.closing) = ([], []) }
            return (inbox.requests, inbox.closing)
        }
        for request in requests { pipeline.append(request) }
        let rest = pipeline.removeAll(because: "the journal is closed")
        for completion in rest.completions { completion() }
        if let socket {
            // The next process need not wait for the end of the lease.
            let settings = connection.settings
            if let leave = connection.scripts.withLock({ $0[.leave] }) {
                let command = RedisCommand(evaluating: leave, settings.tag, "", [Array(settings.node.utf8)])
                _ = try? socket.send(command.bytes[...])
            }
            socket.close()
        }
        connection.isReady.store(false, ordering: .releasing)
        for done in closing { done() }
    }
}

extension RedisLoop {
    /// Adds a command of the connection itself.
    private func append(_ bytes: [UInt8], _ done: @escaping @Sendable (RedisLoop, RedisReply) -> Void) {
        let request = RedisRequest(
            isWrite: false, deadline: .now + RedisConnection.timeout, encode: { bytes },
            done: { [weak self] result in
                if let self, case .success(let reply) = result { done(self, reply) }
            })
        connection.waitingBytes.add(request.byteCount, ordering: .relaxed)
        pipeline.append(request)
    }

    private func append(
        _ script: RedisScript, _ arguments: [[UInt8]], _ done: @escaping @Sendable (RedisLoop, RedisReply) -> Void
    ) {
        guard let hash = connection.scripts.withLock({ $0[script] }) else { return }
        append(RedisCommand(evaluating: hash, connection.settings.tag, "", arguments).bytes, done)
    }

    /// Another process has the storage: this one must not use what it has in memory.
    private func leave() {
        let detail = "another process has taken over the sessions with the prefix '\(connection.settings.prefix)'"
        connection.report(.refused("\(connection.settings.address): \(detail)"))
        isReported = true
        disconnect(detail)
        nextConnection = .now + .seconds(1)
    }

    /// Tells the server that the process lives, and finds out whether it would execute a commit.
    private func beat() {
        let now = ContinuousClock.now
        guard now >= nextBeat else { return }
        nextBeat = now + Self.beat
        guard socket != nil else { return }
        let known = connection.acknowledged.load(ordering: .relaxed)
        let arguments = RedisLease.arguments(connection.settings, known: known, runID: runID, check: [], isFirst: false)
        append(.open, arguments) { loop, reply in
            switch RedisLease(reply) {
            case .opened(let opened) where !opened.hasLost:
                loop.connection.live.store(opened.sessions, ordering: .relaxed)
            case .held, .taken: loop.leave()
            case .opened, .layout, nil: loop.disconnect("its data have changed")
            }
        }
        append(.probe, []) { loop, _ in
            guard loop.connection.isRefusing.exchange(false, ordering: .relaxed), loop.isReported else { return }
            loop.isReported = false
            loop.connection.report(.recovered)
        }
        append(RedisFacts.query.bytes) { loop, reply in
            let shown = RedisFacts.settings(reply)
            let objection = RedisFacts.objection(to: shown, isRelaxed: loop.connection.settings.isRelaxed)
            if let objection { loop.disconnect(objection) }
        }
    }
}
