import Journal
import Locks
import RedisJournal
import StoreHosting
import Testing

@Suite("The pipeline to Redis")
struct RedisPipelineTests {
    /// The outcomes of the commands, by their names.
    private final class Outcomes: Sendable {
        // Guards the outcomes.
        private let all = Locked<[String]>([])
        var words: [String] { all.withLock(\.self) }

        /// - Parameters:
        ///   - count: how many commands it has.
        ///   - resultIndex: the index of the one whose reply is the result.
        func request(
            _ name: String, _ kind: RedisRequestKind = .write, deadline: ContinuousClock.Instant? = nil,
            count: Int = 1, resultIndex: Int = 0
        ) -> any RedisRequest {
            RedisCall(
                kind, deadline: deadline,
                encode: { RedisBatch(bytes: Array(name.utf8), count: count, resultIndex: resultIndex) },
                done: { [all] result in
                    let word =
                        switch result {
                        case .success: "\(name) done"
                        case .failure: "\(name) failed"
                        }
                    all.withLock { $0.append(word) }
                })
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func perform(_ step: RedisPipeline.Step) { for completion in step.completions { completion() } }

    @Test("sends what waits at once, and completes it in the order of the replies")
    func order() {
        var pipeline = RedisPipeline()
        let outcomes = Outcomes()
        for name in ["a", "b", "c"] { pipeline.append(outcomes.request(name)) }
        #expect(text(pipeline.take()) == "abc")
        #expect(!pipeline.hasUnsent && pipeline.isWaiting)
        perform(pipeline.receive(.integer(1)))
        #expect(outcomes.words == ["a done"])
        perform(pipeline.receive(.error("OOM command not allowed")))
        perform(pipeline.receive(.integer(1)))
        #expect(outcomes.words == ["a done", "b failed", "c done"] && pipeline.isEmpty && !pipeline.isWaiting)
    }

    @Test("repeats what was not answered on the next connection, with the same bytes")
    func repetition() {
        var pipeline = RedisPipeline()
        let outcomes = Outcomes()
        for name in ["a", "b"] { pipeline.append(outcomes.request(name)) }
        _ = pipeline.take()
        perform(pipeline.receive(.integer(1)))
        pipeline.disconnect()
        pipeline.append(outcomes.request("c"))
        #expect(text(pipeline.take()) == "bc")
        // A server that loads its data, or has lost the scripts, has executed nothing.
        for isLast in [false, true] {
            let step = pipeline.receive(.error("LOADING Redis is loading the dataset in memory"))
            #expect(step.mustReconnect == isLast && step.completions.isEmpty)
        }
        pipeline.disconnect()
        #expect(text(pipeline.take()) == "bc")
        for _ in 0..<2 { perform(pipeline.receive(.null)) }
        #expect(outcomes.words == ["a done", "b done", "c done"])
    }

    @Test("does not say that a write was not executed if it was sent without an answer")
    func unknownOutcomes() {
        let now = ContinuousClock.now
        var pipeline = RedisPipeline()
        let failures = Locked<[JournalError?]>([])
        func add(_ kind: RedisRequestKind, deadline: ContinuousClock.Instant? = nil) {
            pipeline.append(
                RedisCall(
                    kind, deadline: deadline, encode: { RedisBatch(RedisCommand("GET")) },
                    done: { result in
                        switch result {
                        case .success: failures.withLock { $0.append(nil) }
                        case .failure(let error): failures.withLock { $0.append(error) }
                        }
                    }))
        }
        let fenced = RedisReply.array([.bytes(Array("FENCED".utf8))])
        func receive(_ reply: RedisReply) -> JournalError? {
            perform(pipeline.receive(reply))
            return failures.withLock { $0.removeLast() }
        }
        for _ in 0..<4 { add(.write) }
        add(.claim)
        _ = pipeline.take()
        #expect(receive(fenced) == nil)
        pipeline.disconnect()
        _ = pipeline.take()
        guard case .outcomeUnknown = receive(fenced), case .outcomeUnknown = receive(.error("OOM it is full")) else {
            Issue.record("a repeated command is refused")
            return
        }
        // An error about damaged data stays one, also for a repeated command.
        #expect(receive(.error("WRONGTYPE it is no list")) == .corrupt("WRONGTYPE it is no list"))
        #expect(receive(fenced) == nil)
        add(.write, deadline: now)
        _ = pipeline.take()
        add(.write, deadline: now)
        perform(pipeline.expire(now, because: "away"))
        #expect(failures.withLock(\.self) == [.outcomeUnknown("away"), .unavailable("away")])
    }

    @Test("says that a write was not executed if it was refused each time it was sent")
    func definiteRefusals() {
        let now = ContinuousClock.now
        var pipeline = RedisPipeline(count: RedisCommand("COUNT"))
        let failures = Locked<[JournalError?]>([])
        func add() {
            pipeline.append(
                RedisCall(
                    .write, deadline: now, encode: { RedisBatch(RedisCommand("GET")) },
                    done: { result in
                        var failure: JournalError?
                        if case .failure(let error) = result { failure = error }
                        failures.withLock { [failure] in $0.append(failure) }
                    }))
        }
        for error in ["READONLY You can't write", "MASTERDOWN Link with MASTER is down", "LOADING Redis is loading"] {
            for _ in 0..<2 { add() }
            for _ in 0..<3 {
                _ = pipeline.take()
                // The replies behind the first refusal are awaited, with that to the count.
                for isLast in [false, false, true] {
                    let step = pipeline.receive(.error(error))
                    #expect(step.mustReconnect == isLast && step.completions.isEmpty)
                }
                pipeline.disconnect()
            }
            _ = pipeline.take()
            _ = pipeline.receive(.error(error))
            // The second one was sent, and there is no reply to it.
            perform(pipeline.expire(now, because: "away"))
            #expect(failures.withLock(\.self) == [.unavailable("away"), .outcomeUnknown("away")])
            failures.withLock { $0 = [] }
            pipeline.disconnect()
        }
        // One was executed before the server became a replica, and its reply is lost with those behind it.
        for _ in 0..<2 { add() }
        _ = pipeline.take()
        for reply in [RedisReply.integer(1), .error("READONLY"), .error("READONLY")] { _ = pipeline.receive(reply) }
        pipeline.disconnect()
        perform(pipeline.expire(now, because: "away"))
        #expect(failures.withLock(\.self) == [.outcomeUnknown("away"), .unavailable("away")])
    }

    @Test("fails in time what comes back from another connection behind newer commands")
    func earlierDeadlines() {
        let now = ContinuousClock.now
        var pipeline = RedisPipeline()
        let outcomes = Outcomes()
        pipeline.append(outcomes.request("newer", deadline: now + .seconds(2)))
        pipeline.append(outcomes.request("older", deadline: now + .seconds(1)))
        #expect(pipeline.nextDeadline == now + .seconds(1))
        perform(pipeline.expire(now + .seconds(1), because: "away"))
        #expect(outcomes.words == ["older failed"])
        #expect(pipeline.nextDeadline == now + .seconds(2))
    }

    @Test("fails what is late, and gives up the connection if it was sent")
    func deadlines() {
        let now = ContinuousClock.now
        var pipeline = RedisPipeline()
        let outcomes = Outcomes()
        pipeline.append(outcomes.request("a", deadline: now + .seconds(1)))
        pipeline.append(outcomes.request("patient"))
        #expect(pipeline.nextDeadline == now + .seconds(1))
        #expect(pipeline.expire(now, because: "away").completions.isEmpty)
        var step = pipeline.expire(now + .seconds(1), because: "away")
        perform(step)
        #expect(!step.mustReconnect && outcomes.words == ["a failed"])
        pipeline.append(outcomes.request("b", deadline: now + .seconds(2)))
        #expect(text(pipeline.take()) == "patientb")
        step = pipeline.expire(now + .seconds(3), because: "away")
        perform(step)
        #expect(step.mustReconnect && outcomes.words == ["a failed", "b failed"])
        pipeline.disconnect()
        #expect(text(pipeline.take()) == "patient")
    }

    @Test("acknowledges nothing before enough replicas have it, and asks again with each heartbeat")
    func replicas() {
        let now = ContinuousClock.now
        var pipeline = RedisPipeline(replicas: 2)
        let outcomes = Outcomes()
        pipeline.append(outcomes.request("a", deadline: now))
        pipeline.append(outcomes.request("b"))
        #expect(text(pipeline.take()).hasPrefix("ab*3\r\n$4\r\nWAIT"))
        for _ in 0..<2 { perform(pipeline.receive(.integer(1))) }
        #expect(outcomes.words.isEmpty && pipeline.isWaiting)
        var step = pipeline.receive(.integer(1))
        #expect(!step.mustReconnect && step.completions.isEmpty && step.problem?.contains("1 of 2 replicas") == true)
        for command in [outcomes.request("c", .read), outcomes.request("beat", .heartbeat)] { pipeline.append(command) }
        #expect(text(pipeline.take()).hasPrefix("cbeat*3"))
        for _ in 0..<2 { perform(pipeline.receive(.integer(1))) }
        #expect(outcomes.words == ["beat done"])
        // The server has executed it, so there is no reply to wait for.
        step = pipeline.expire(now, because: "replicas are missing")
        perform(step)
        #expect(!step.mustReconnect && outcomes.words == ["beat done", "a failed"])
        perform(pipeline.receive(.integer(2)))
        #expect(outcomes.words == ["beat done", "a failed", "b done", "c done"] && !pipeline.isWaiting)
        // A command that only reads waits for no replica.
        pipeline.append(outcomes.request("d", .read))
        #expect(text(pipeline.take()) == "d")
        perform(pipeline.receive(.null))
        #expect(outcomes.words.last == "d done" && pipeline.isEmpty)
    }

    @Test("takes the reply to one of several commands as the result, after the last reply")
    func batches() {
        var pipeline = RedisPipeline()
        let outcomes = Outcomes()
        for (name, resultIndex) in [("a", 0), ("b", 1), ("c", 2)] {
            pipeline.append(outcomes.request(name, count: 3, resultIndex: resultIndex))
        }
        pipeline.append(outcomes.request("d"))
        _ = pipeline.take()
        for _ in ["a", "b", "c"] {
            perform(pipeline.receive(.integer(1)))
            perform(pipeline.receive(.error("WRONGTYPE it is damaged")))
            #expect(outcomes.words.count < 3)
            perform(pipeline.receive(.integer(1)))
        }
        perform(pipeline.receive(.integer(1)))
        #expect(outcomes.words == ["a done", "b failed", "c done", "d done"] && pipeline.isEmpty)
        // All of them are sent again, and answered again.
        pipeline.append(outcomes.request("e", count: 2))
        _ = pipeline.take()
        perform(pipeline.receive(.integer(1)))
        pipeline.disconnect()
        #expect(text(pipeline.take()) == "e")
        for _ in 0..<2 { perform(pipeline.receive(.integer(1))) }
        #expect(outcomes.words.last == "e done" && pipeline.isEmpty)
    }

    @Test("acknowledges writes once they are counted, and claims and reads before", arguments: [0, 1])
    func counting(replicas: Int) {
        var pipeline = RedisPipeline(replicas: replicas, count: RedisCommand("COUNT"))
        let outcomes = Outcomes()
        pipeline.append(outcomes.request("claim", .claim))
        pipeline.append(outcomes.request("read", .read))
        let bytes = text(pipeline.take())
        #expect(!bytes.contains("COUNT") && bytes.contains("WAIT") == (replicas > 0))
        for _ in 0..<(2 + replicas) { perform(pipeline.receive(.integer(1))) }
        #expect(outcomes.words == ["claim done", "read done"])
        for name in ["a", "b"] { pipeline.append(outcomes.request(name)) }
        #expect(text(pipeline.take()).hasPrefix("ab*1\r\n$5\r\nCOUNT"))
        for _ in ["a", "b"] { perform(pipeline.receive(.integer(1))) }
        #expect(outcomes.words.count == 2)
        var step = pipeline.receive(.integer(7))
        if replicas > 0 {
            #expect(step.completions.isEmpty && step.writeCount == nil)
            step = pipeline.receive(.integer(1))
        }
        perform(step)
        #expect(step.writeCount == 7 && outcomes.words.suffix(2) == ["a done", "b done"])
        // Nobody would notice the loss of a write that is not counted.
        pipeline.append(outcomes.request("c"))
        _ = pipeline.take()
        for reply in [RedisReply.integer(1), .error("OOM it is full"), .integer(1)].prefix(2 + replicas) {
            step = pipeline.receive(reply)
            perform(step)
        }
        #expect(step.writeCount == nil && outcomes.words.last == "c failed" && pipeline.isEmpty)
    }

    @Test("drops the heartbeats of a lost connection")
    func lostHeartbeats() {
        var pipeline = RedisPipeline(replicas: 1)
        let outcomes = Outcomes()
        pipeline.append(outcomes.request("beat", .heartbeat))
        pipeline.append(outcomes.request("a"))
        _ = pipeline.take()
        pipeline.disconnect()
        #expect(text(pipeline.take()).hasPrefix("a*3"))
        for _ in 0..<2 { perform(pipeline.receive(.integer(1))) }
        #expect(outcomes.words == ["a done"] && pipeline.isEmpty)
    }

    @Test("survives thousands of commands with losses in between", arguments: 0..<8)
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var pipeline = RedisPipeline(replicas: seed.isMultiple(of: 2) ? 1 : 0)
        let (outcomes, heartbeats) = (Outcomes(), Outcomes())
        var (appended, sent) = (0, [String]())
        while outcomes.words.count < 1500 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where sent.count > 20:
                pipeline.disconnect()
                sent = []
            case 1 where sent.count < 20: pipeline.append(heartbeats.request("beat ", .heartbeat))
            case 0..<4 where appended < 1500:
                pipeline.append(outcomes.request("\(appended) ", appended.isMultiple(of: 3) ? .read : .write))
                appended += 1
            case 4..<6:
                for word in text(pipeline.take(limit: 50)).split(separator: " ", omittingEmptySubsequences: true) {
                    sent.append(word.hasPrefix("*3") ? "WAIT" : String(word))
                }
            default:
                guard !sent.isEmpty else { continue }
                let isMissing = sent.removeFirst() == "WAIT" && Bool.random(using: &random)
                perform(pipeline.receive(.integer(isMissing ? 0 : 1)))
            }
        }
        // Writes pass reads that wait.
        let numbers = outcomes.words.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(numbers.filter { $0.isMultiple(of: 3) } == Array(stride(from: 0, to: 1500, by: 3)))
        #expect(numbers.filter { !$0.isMultiple(of: 3) } == (0..<1500).filter { !$0.isMultiple(of: 3) })
        #expect(outcomes.words.allSatisfy { $0.hasSuffix(" done") } && !heartbeats.words.isEmpty)
    }

    @Test("sends few reads at once, so that commits and the lease need not wait for many replies")
    func waitingReads() {
        let now = ContinuousClock.now
        var pipeline = RedisPipeline()
        let outcomes = Outcomes()
        for number in 0..<9 { pipeline.append(outcomes.request("\(number)", .read)) }
        pipeline.append(outcomes.request("late", .read, deadline: now))
        for (name, kind) in [("lease", RedisRequestKind.lease), ("claim", .claim), ("write", .write)] {
            pipeline.append(outcomes.request(name, kind))
        }
        #expect(text(pipeline.take()) == "01234567leaseclaimwrite")
        #expect(pipeline.nextDeadline == now && !pipeline.hasUnsent)
        let step = pipeline.expire(now, because: "away")
        perform(step)
        #expect(!step.mustReconnect && outcomes.words == ["late failed"])
        // Each reply makes room for one more, which comes behind whatever was sent meanwhile.
        perform(pipeline.receive(.null))
        pipeline.append(outcomes.request("commit"))
        #expect(text(pipeline.take()) == "8commit")
        // A lost connection does not let more reads in, and neither do answers of a server that has executed none.
        for number in 9..<12 { pipeline.append(outcomes.request("\(number)", .read)) }
        pipeline.disconnect()
        #expect(text(pipeline.take()) == "1234567claimwrite8commit")
        for _ in 0..<11 { _ = pipeline.receive(.error("LOADING Redis is loading the dataset in memory")) }
        pipeline.disconnect()
        #expect(text(pipeline.take()) == "1234567claimwrite8commit")
        for _ in 0..<11 { perform(pipeline.receive(.null)) }
        #expect(text(pipeline.take()) == "91011")
        for _ in 0..<3 { perform(pipeline.receive(.null)) }
        #expect(pipeline.isEmpty && outcomes.words.suffix(3) == ["9 done", "10 done", "11 done"])
        // The end gives up also those that wait.
        for _ in 0..<9 { pipeline.append(outcomes.request("more", .read)) }
        perform(pipeline.removeAll(because: "the journal is closed"))
        #expect(pipeline.isEmpty && outcomes.words.suffix(9).allSatisfy { $0 == "more failed" })
    }

    @Test(
        "does not say that a write was not executed, or that data are damaged, if a script was ended for another reason",
        arguments: ["ERR max requests limit exceeded", "NEWCODE of a later release", ""])
    func interruptedScripts(error: String) {
        var pipeline = RedisPipeline(count: RedisCommand("COUNT"))
        let failures = Locked<[JournalError]>([])
        for kind in [RedisRequestKind.write, .read] {
            pipeline.append(
                RedisCall(
                    kind, deadline: nil, encode: { RedisBatch(RedisCommand("GET")) },
                    done: { result in if case .failure(let error) = result { failures.withLock { $0.append(error) } } })
            )
        }
        _ = pipeline.take()
        let step = pipeline.receive(.error(error))
        #expect(step.problem == error && !step.mustReconnect)
        for reply in [RedisReply.error(error), .integer(1)] { perform(pipeline.receive(reply)) }
        #expect(failures.withLock(\.self) == [.outcomeUnknown(error), .unavailable(error)])
    }
}

extension RedisPipeline {
    /// Takes one reply, and returns the step that follows from it.
    fileprivate mutating func receive(_ reply: RedisReply) -> Step {
        var step = Step()
        receive(reply, &step)
        return step
    }

    /// The bytes to send now.
    fileprivate mutating func take(limit: Int = 1 << 20) -> [UInt8] {
        var bytes: [UInt8] = []
        take(limit: limit, into: &bytes)
        return bytes
    }
}
