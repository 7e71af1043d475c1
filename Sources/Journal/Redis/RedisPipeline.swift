package import StoreHosting

/// A command on its way to Redis.
package struct RedisRequest: Sendable {
    /// Makes the bytes when the command is sent for the first time; nil if it is of no use any more.
    let encode: @Sendable () -> [UInt8]?
    /// Whether it stores something, so that replicas have to have it too.
    let isWrite: Bool
    /// About how many bytes it takes.
    let byteCount: Int
    /// When it fails, if it was not answered until then; nil for never.
    let deadline: ContinuousClock.Instant?
    let done: @Sendable (Result<RedisReply, JournalError>) -> Void

    package init(
        isWrite: Bool, byteCount: Int = 64, deadline: ContinuousClock.Instant?,
        encode: @escaping @Sendable () -> [UInt8]?,
        done: @escaping @Sendable (Result<RedisReply, JournalError>) -> Void
    ) {
        self.encode = encode
        self.isWrite = isWrite
        self.byteCount = byteCount
        self.deadline = deadline
        self.done = done
    }
}

/// What a reply means for the command that it answers.
package enum RedisVerdict: Equatable {
    case result
    /// The server did not execute it, and will not soon.
    case refused
    /// The server did not execute it, and may do so on another connection a little later.
    case retry

    /// - Parameter error: a text that begins with a code.
    package init(error: String) {
        switch error.prefix(while: { $0 != " " }) {
        case "NOSCRIPT", "LOADING", "BUSY", "READONLY", "MASTERDOWN", "UNBLOCKED", "CLUSTERDOWN", "TRYAGAIN":
            self = .retry
        default: self = .refused
        }
    }
}

/// The commands of one connection in their order, and where each of them stands: a pure value.
///
/// Replies come in the order of the commands. If the connection is lost, all that were not answered are sent again: a script
/// recognizes what it has executed. With replicas, commands that were answered wait for a reply to `WAIT`.
package struct RedisPipeline {
    private struct Item {
        let request: RedisRequest
        var bytes: [UInt8]?
        var reply: RedisReply?
    }

    /// What the caller must do after a reply.
    package struct Step {
        /// Call these.
        package var completions: [@Sendable () -> Void] = []
        /// About how many bytes they took.
        package var byteCount = 0
        /// Close the connection and make another.
        package var mustReconnect = false
        /// Why the server refused a command.
        package var refusal: String?
        /// Whether a command that stores something was completed.
        package var hasWritten = false
    }

    /// How many replicas must have what is acknowledged.
    let replicas: Int
    /// The commands that are not completed, oldest first.
    private var items: [Item] = []
    /// How many of the first ones were completed; they are removed now and then.
    private var start = 0
    /// The first that was not answered, and the first that was not sent, on this connection.
    private var answered = 0
    private var sent = 0
    /// The positions behind which a `WAIT` stands that is not answered, oldest first.
    private var waits: [Int] = []

    package init(replicas: Int = 0) { self.replicas = replicas }

    package var isEmpty: Bool { start == items.count }

    /// Whether an answer is outstanding on this connection.
    package var isWaiting: Bool { answered < sent || !waits.isEmpty }

    package var hasUnsent: Bool { sent < items.count }

    package mutating func append(_ request: RedisRequest) { items.append(Item(request: request)) }

    /// The bytes of commands to send now, and a `WAIT` behind them if replicas must have them.
    ///
    /// - Parameter limit: how many bytes are enough.
    package mutating func take(limit: Int = 1 << 20) -> [UInt8] {
        var (bytes, hasWrite) = ([UInt8](), false)
        while sent < items.count, bytes.count < limit {
            if items[sent].bytes == nil {
                items[sent].bytes = items[sent].request.encode() ?? RedisCommand("PING").bytes
            }
            bytes += items[sent].bytes ?? []
            hasWrite = hasWrite || items[sent].request.isWrite
            sent += 1
        }
        if replicas > 0, hasWrite { bytes += wait(behind: sent) }
        return bytes
    }

    private mutating func wait(behind position: Int) -> [UInt8] {
        waits.append(position)
        return RedisCommand("WAIT", String(replicas), "1000").bytes
    }

    /// Takes the next reply.
    package mutating func receive(_ reply: RedisReply) -> Step {
        if let position = waits.first, position == answered {
            waits.removeFirst()
            guard let count = reply.integer, count >= replicas else {
                // The commands are repeated, and wait again.
                return Step(mustReconnect: true, refusal: "fewer than \(replicas) replicas have the newest commits")
            }
            return complete(through: position)
        }
        guard answered < sent else { return Step(mustReconnect: true) }
        var refusal: String?
        if case .error(let text) = reply {
            switch RedisVerdict(error: text) {
            case .retry: return Step(mustReconnect: true, refusal: text)
            case .refused, .result: refusal = text
            }
        }
        items[answered].reply = reply
        answered += 1
        var step = Step()
        if replicas == 0 || !items[start..<answered].contains(where: \.request.isWrite) {
            step = complete(through: answered)
        }
        step.refusal = refusal
        return step
    }

    /// Completes the answered commands before a position.
    private mutating func complete(through position: Int) -> Step {
        var step = Step()
        while start < position {
            let (request, reply) = (items[start].request, items[start].reply ?? .null)
            let result: Result<RedisReply, JournalError> =
                if case .error(let text) = reply { .failure(.unavailable(text)) } else { .success(reply) }
            step.completions.append { request.done(result) }
            step.byteCount += request.byteCount
            if case .success = result, request.isWrite { step.hasWritten = true }
            start += 1
        }
        compact()
        return step
    }

    /// The connection is lost: what was not completed is sent again on the next one.
    package mutating func disconnect() {
        (answered, sent) = (start, start)
        for index in start..<items.count { items[index].reply = nil }
        waits = []
    }

    /// When the deadline of the oldest command is that has one; nil if there is none. Those behind it are later, or little
    /// earlier.
    package var nextDeadline: ContinuousClock.Instant? { items[start...].lazy.compactMap(\.request.deadline).first }

    /// Takes out the commands whose deadlines have passed. If some of them were sent, the connection has to be closed.
    ///
    /// - Returns: the completions to call, and whether to close the connection.
    package mutating func expire(_ now: ContinuousClock.Instant, because detail: String) -> Step {
        guard let next = nextDeadline, next <= now else { return Step() }
        return remove(because: detail) { ($0.deadline ?? now.advanced(by: .seconds(1))) <= now }
    }

    /// Takes out all commands.
    package mutating func removeAll(because detail: String) -> Step { remove(because: detail) { _ in true } }

    private mutating func remove(because detail: String, _ isRemoved: (RedisRequest) -> Bool) -> Step {
        var step = Step()
        let firstUnsent = sent
        var kept: [Item] = []
        for index in start..<items.count {
            let request = items[index].request
            guard isRemoved(request) else {
                kept.append(items[index])
                continue
            }
            if index < firstUnsent { step.mustReconnect = true }
            step.completions.append { request.done(.failure(.unavailable(detail))) }
            step.byteCount += request.byteCount
        }
        let sentCount = step.mustReconnect ? 0 : firstUnsent - start
        let answeredCount = step.mustReconnect ? 0 : answered - start
        waits = step.mustReconnect ? [] : waits.map { $0 - start }
        (items, start, sent, answered) = (kept, 0, sentCount, answeredCount)
        return step
    }

    private mutating func compact() {
        guard start > 1024, start * 2 > items.count else {
            if start == items.count { shift() }
            return
        }
        shift()
    }

    private mutating func shift() {
        items.removeFirst(start)
        (sent, answered) = (sent - start, answered - start)
        waits = waits.map { $0 - start }
        start = 0
    }
}
