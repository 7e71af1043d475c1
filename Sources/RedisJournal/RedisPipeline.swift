import Journal
import StoreHosting

/// The commands of one connection in their order, and where each of them stands.
///
/// Replies come in the order of the commands. If the connection is lost, all commands that were not answered are sent
/// again: a script recognizes a command that was executed already.
///
/// The script `count` stands behind commands that store something, and `WAIT` behind commands that change anything if
/// there are replicas. The commands are completed when both are answered. A reply to `WAIT` that says that replicas are
/// missing completes nothing, and the next heartbeat asks again.
///
/// If the server executes no such command now, another connection is made after all replies have come: they tell which of the
/// commands were not executed. A write that was refused each time it was sent was certainly not committed.
///
/// The replies to reads may be long, and those to commits and to the lease come behind them. So few reads are among the commands, and
/// the others wait beside them. Claims keep their place: one that came behind the creation of its session would take the session from
/// its creator.
package struct RedisPipeline {
    /// A command that is not completed.
    struct Item: Sendable {
        let request: any RedisRequest
        fileprivate var batch: RedisBatch?
        /// The reply that is the result, if it has come on this connection.
        private var reply: RedisReply?
        /// How many replies have come on this connection.
        private var replyCount = 0
        /// Whether it was sent on an earlier connection, and may have been executed.
        private var isRepeated = false

        init(_ request: any RedisRequest) { self.request = request }

        /// - Returns: whether it was the last one.
        fileprivate mutating func take(_ reply: RedisReply) -> Bool {
            if replyCount == batch?.resultIndex { self.reply = reply }
            replyCount += 1
            return replyCount == batch?.count
        }

        fileprivate var isConflict: Bool { reply?.isConflict ?? false }

        /// Nil if the server has not answered with an error.
        private var verdict: RedisVerdict? {
            guard case .error(let text)? = reply else { return nil }
            return RedisVerdict(error: text)
        }

        /// Whether the server has answered that it does not execute it.
        fileprivate var isRefused: Bool { verdict == .refused || verdict == .retry }

        /// The connection is lost.
        ///
        /// - Parameter isSent: whether it was sent on it.
        fileprivate mutating func sendAgain(isSent: Bool) {
            if isSent, !isRefused { isRepeated = true }
            (reply, replyCount) = (nil, 0)
        }

        /// The result if the server has not executed the last copy of the command, or if it is not known whether it has.
        func failure(_ error: JournalError, isSent: Bool) -> Result<RedisReply, JournalError> {
            if case .corrupt = error { return .failure(error) }
            guard request.kind == .write, isSent || isRepeated else { return .failure(error) }
            return .failure(.outcomeUnknown(error.detail))
        }

        fileprivate var result: Result<RedisReply, JournalError> {
            switch (reply ?? .null).result {
            case .failure(let error): failure(error, isSent: verdict == .interrupted)
            case .success(let reply) where isRepeated && request.kind == .write && reply.isRefusal:
                failure(.conflict, isSent: false)
            case .success(let reply): .success(reply)
            }
        }
    }

    /// The result of a command, which its sender awaits.
    package struct Completion: Sendable {
        fileprivate let request: any RedisRequest
        fileprivate let result: Result<RedisReply, JournalError>

        package func callAsFunction() { request.done(result) }
    }

    /// The instructions to the caller after some replies.
    package struct Step {
        /// Call these.
        package var completions: [Completion] = []
        /// About how many bytes they took.
        package var byteCount = 0
        /// Close the connection and make another.
        package var mustReconnect = false
        /// Why the server refuses commands, or the connection has to be closed.
        package var problem: String?
        /// Whether a command that stores something was completed.
        package var hasWritten = false
        /// How many batches of writes the storage has counted, with those that were completed; nil if none was.
        package var writeCount: Int?
        /// How many commands were refused because another claim or commit came before them.
        package var conflicts = 0
        /// Whether a command of the connection itself was completed, which may end the connection.
        var completesOwn = false

        package init() {}

        /// Whether to do this before the next reply is taken.
        var isUrgent: Bool { completesOwn || mustReconnect || problem != nil }

        fileprivate mutating func complete(_ request: any RedisRequest, _ result: Result<RedisReply, JournalError>) {
            completions.append(Completion(request: request, result: result))
            byteCount += request.byteCount
            switch request.kind {
            case .write: if case .success = result { hasWritten = true }
            case .lease, .heartbeat: completesOwn = true
            case .read, .claim: break
            }
        }

        fileprivate mutating func reconnect(_ problem: String? = nil) {
            (mustReconnect, self.problem) = (true, problem)
        }
    }

    /// A command that is sent behind changes. The changes are completed only when it is answered.
    private enum Barrier { case count, wait }

    /// How many replicas must have a change before it is acknowledged.
    let replicas: Int
    /// The call of the script `count`; nil to count nothing.
    package var count: RedisCommand?
    /// The commands that are not completed, oldest first.
    private var items: [Item] = []
    /// How many of the first ones were completed; they are removed now and then.
    private var start = 0
    /// The first that was not answered, and the first that was not sent, on this connection.
    private var answered = 0
    private var sent = 0
    /// How many of the commands that were answered wait for a barrier.
    private var heldCount = 0
    /// How many reads are among the commands and not answered.
    private var readCount = 0
    /// The reads that wait for the answers to those, oldest first.
    private var waitingReads: [any RedisRequest] = []
    /// The barriers that are not answered, oldest first, each with the position of the command behind it.
    private var barriers: [(barrier: Barrier, position: Int)] = []
    /// The newest reply to `count`, which is not known to be durable; or why there is none.
    private var counted: Result<Int, JournalError>?
    /// Whether the newest reply to a `WAIT` said that replicas are missing.
    private(set) var lacksReplicas = false
    /// Why another connection is made once all replies have come.
    private var refusal: String?

    package init(replicas: Int = 0, count: RedisCommand? = nil) { (self.replicas, self.count) = (replicas, count) }

    /// How many reads may be among the commands.
    private static var maxReads: Int { 8 }

    package var isEmpty: Bool { start == items.count && waitingReads.isEmpty }

    /// Whether an answer is outstanding on this connection.
    package var isWaiting: Bool { answered < sent || !barriers.isEmpty }

    package var hasUnsent: Bool { sent < items.count && refusal == nil }

    package mutating func append(_ request: any RedisRequest) { append(Item(request)) }

    mutating func append(_ item: Item) {
        guard item.request.kind == .read else { return items.append(item) }
        waitingReads.append(item.request)
        addReads()
    }

    /// Adds the reads to the commands that may be among them. If all are sent again, those that are answered now are among them too.
    private mutating func addReads() {
        let count = min(waitingReads.count, Self.maxReads - readCount)
        guard count > 0, refusal == nil else { return }
        items += waitingReads.prefix(count).map(Item.init)
        waitingReads.removeFirst(count)
        readCount += count
    }

    /// Counts the reads anew, since other commands are not answered than before.
    private mutating func countReads() {
        readCount = items[answered...].count { $0.request.kind == .read }
        addReads()
    }

    /// Adds the commands to send now, and the barriers behind them.
    ///
    /// - Parameter limit: how many bytes are enough.
    /// - Returns: how many replies there will be.
    @discardableResult
    package mutating func take(limit: Int = 1 << 20, into bytes: inout [UInt8]) -> Int {
        var (replyCount, hasWrites, hasChanges) = (0, false, false)
        while hasUnsent, bytes.count < limit {
            let request = items[sent].request
            let batch = items[sent].batch ?? request.encode() ?? RedisBatch(RedisCommand("PING"))
            items[sent].batch = batch
            bytes += batch.bytes
            replyCount += batch.count
            hasWrites = hasWrites || request.kind == .write
            hasChanges = hasChanges || request.kind != .read
            sent += 1
        }
        if hasWrites, let count {
            barriers.append((.count, sent))
            bytes += count.bytes
            replyCount += 1
        }
        if hasChanges, replicas > 0 {
            barriers.append((.wait, sent))
            bytes += RedisCommand("WAIT", String(replicas), "1000").bytes
            replyCount += 1
        }
        return replyCount
    }

    /// Takes the next reply, and adds its consequences to `step`.
    package mutating func receive(_ reply: RedisReply, _ step: inout Step) {
        receiveNext(reply, &step)
        if let refusal, !isWaiting { step.reconnect(refusal) }
    }

    private mutating func receiveNext(_ reply: RedisReply, _ step: inout Step) {
        if let (barrier, position) = barriers.first, position == answered {
            barriers.removeFirst()
            return pass(barrier, at: position, reply, &step)
        }
        guard answered < sent else { return step.reconnect() }
        if case .error(let text) = reply {
            switch RedisVerdict(error: text) {
            case .retry: refusal = refusal ?? text
            case .refused, .interrupted: step.problem = text
            case .failed: break
            }
        }
        take(reply, &step)
    }

    /// Takes the reply to a barrier.
    private mutating func pass(_ barrier: Barrier, at position: Int, _ reply: RedisReply, _ step: inout Step) {
        guard let number = reply.integer else {
            guard case .error(let text) = reply else { return step.reconnect() }
            if barrier == .wait || RedisVerdict(error: text) == .retry { refusal = refusal ?? text }
            if refusal != nil { return }
            step.problem = text
            counted = .failure(.outcomeUnknown(text))
            if replicas == 0 { complete(through: position, &step) }
            return
        }
        // Executed commands are sent again with the rest, and recognized.
        guard refusal == nil else { return }
        switch barrier {
        case .count:
            counted = .success(number)
            if replicas == 0 { complete(through: position, &step) }
        case .wait:
            lacksReplicas = number < replicas
            if !lacksReplicas { return complete(through: position, &step) }
            step.problem = "\(number) of \(replicas) replicas have the newest commits"
        }
    }

    /// Takes a reply to the first command that was not answered.
    private mutating func take(_ reply: RedisReply, _ step: inout Step) {
        guard items[answered].take(reply) else { return }
        if items[answered].isConflict { step.conflicts += 1 }
        let kind = items[answered].request.kind
        if kind == .heartbeat {
            let request = items.remove(at: answered).request
            if refusal == nil { step.complete(request, reply.result) }
            // Each barrier that is not answered stands behind it.
            sent -= 1
            moveBarriers(by: 1)
            return
        }
        answered += 1
        if isHeld(kind) { heldCount += 1 }
        if heldCount == 0, refusal == nil { complete(through: answered, &step) }
        if kind == .read {
            readCount -= 1
            addReads()
        }
    }

    /// Whether commands of a kind are completed only when the barrier behind them is answered.
    private func isHeld(_ kind: RedisRequestKind) -> Bool {
        kind == .write && count != nil || kind != .read && replicas > 0
    }

    private mutating func moveBarriers(by distance: Int) {
        for index in barriers.indices { barriers[index].position -= distance }
    }

    /// Completes the answered commands before a position.
    private mutating func complete(through position: Int, _ step: inout Step) {
        var uncounted: JournalError?
        if heldCount > 0 {
            switch counted {
            case .success(let count): step.writeCount = count
            case .failure(let error): uncounted = error
            case nil: break
            }
            counted = nil
        }
        heldCount = 0
        for index in start..<position {
            let item = items[index]
            var result = item.result
            // It was executed, and its loss would not be noticed.
            if let uncounted, item.request.kind == .write, case .success = result { result = .failure(uncounted) }
            step.complete(item.request, result)
        }
        start = position
        if start == items.count || start >= 64 && start * 2 > items.count {
            items.removeFirst(start)
            (sent, answered) = (sent - start, answered - start)
            moveBarriers(by: start)
            start = 0
        }
    }

    /// The connection is lost: commands that were not completed are sent again on the next one.
    package mutating func disconnect() {
        for index in start..<items.count { items[index].sendAgain(isSent: index < sent) }
        items = items[start...].filter { !$0.request.kind.isOfConnection }
        (start, answered, sent, heldCount) = (0, 0, 0, 0)
        (barriers, counted, refusal) = ([], nil, nil)
        countReads()
    }

    /// The connection is lost, and another pipeline continues with the commands that were not completed. None of them reads.
    ///
    /// - Returns: the commands, oldest first.
    mutating func giveBack() -> [Item] {
        disconnect()
        defer { items = [] }
        return items
    }

    /// The deadline of the first command that has one; nil if none has. The next ones have later deadlines, or slightly earlier
    /// ones if two threads sent commands at the same time. While none is sent it is the earliest of all: commands that another pipeline has
    /// given back stand behind newer ones.
    package var nextDeadline: ContinuousClock.Instant? {
        let deadlines = items[start...].lazy.compactMap(\.request.deadline)
        let next = sent == 0 ? deadlines.min() : deadlines.first
        guard let waiting = waitingReads.lazy.compactMap(\.deadline).first else { return next }
        return min(next ?? waiting, waiting)
    }

    /// Takes out the commands whose deadlines have passed. If some of them were sent and not answered, the connection has to be
    /// closed.
    ///
    /// - Returns: the completions to call, and whether to close the connection.
    package mutating func expire(_ now: ContinuousClock.Instant, because detail: String) -> Step {
        guard let next = nextDeadline, next <= now else { return Step() }
        return remove(because: detail) { ($0.deadline ?? now.advanced(by: .seconds(1))) <= now }
    }

    /// Takes out all commands.
    package mutating func removeAll(because detail: String) -> Step { remove(because: detail) { _ in true } }

    private mutating func remove(because detail: String, _ isRemoved: (any RedisRequest) -> Bool) -> Step {
        var (step, kept, removedAnswers) = (Step(), [Item](), 0)
        for (index, item) in zip(items.indices, items).dropFirst(start) {
            guard isRemoved(item.request) else {
                kept.append(item)
                continue
            }
            if index < answered { removedAnswers += 1 } else if index < sent { step.mustReconnect = true }
            guard !item.request.kind.isOfConnection else { continue }
            step.complete(item.request, item.failure(.unavailable(detail), isSent: index < sent && !item.isRefused))
        }
        // Each barrier that is not answered stands behind the answered commands.
        let shift = start + removedAnswers
        (items, start, answered, sent) = (kept, 0, answered - shift, sent - shift)
        heldCount = items[..<answered].count { isHeld($0.request.kind) }
        moveBarriers(by: shift)
        let late = waitingReads.filter(isRemoved)
        waitingReads.removeAll(where: isRemoved)
        for request in late { step.complete(request, .failure(.unavailable(detail))) }
        if step.mustReconnect { disconnect() } else { countReads() }
        return step
    }
}

extension RedisReply {
    /// Whether a script has answered that it did not perform its task.
    fileprivate var isRefusal: Bool { array.map { $0.first?.text != "OK" } ?? false }

    /// Whether a script has answered that another claim or commit came before.
    fileprivate var isConflict: Bool {
        guard let word = array?.first?.text else { return false }
        return word == "FENCED" || word == "CONFLICT"
    }

    /// The result for the sender of a command.
    var result: Result<RedisReply, JournalError> {
        guard case .error(let text) = self else { return .success(self) }
        return .failure(RedisVerdict(error: text) == .failed ? .corrupt(text) : .unavailable(text))
    }
}
