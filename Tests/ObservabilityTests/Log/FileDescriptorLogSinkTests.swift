import Observability
import Platform
import Testing

@Suite(.timeLimit(.minutes(5))) struct FileDescriptorLogSinkTests {
    private let channel = LogPipe()

    private func log(_ sink: FileDescriptorLogSink) -> Log {
        Log(level: .info, format: .text, sink: sink, clock: { 0 })
    }

    @Test func aLineArrivesWhole() {
        let sink = channel.sink()
        log(sink).info("hello")
        #expect(channel.lines(1) == ["1970-01-01T00:00:00.000Z info hello"])
    }

    @Test func linesOfManyThreadsDoNotMix() async {
        let log = log(channel.sink())
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<50 { log.info(String(repeating: "\(writer)", count: 100), [.init("n", number)]) }
                }
            }
        }
        let lines = channel.lines(400)
        for writer in 0..<8 {
            // The lines of one thread are in its order.
            let own = lines.filter { $0.contains(String(repeating: "\(writer)", count: 100)) }
            #expect(own.map { $0.split(separator: "=").last } == (0..<50).map { "\($0)" })
        }
    }

    /// Nobody reads, so every call returns at once and the queue fills. No thread waits for the reader but the sink's own.
    @Test func aFullQueueLosesLinesAndReportsTheirNumber() {
        let sink = channel.sink(capacity: 30_000)
        let log = log(sink)
        let text = String(repeating: "x", count: 3000)
        for _ in 0..<100 { log.info(text) }
        let lost = sink.lostLines
        #expect((1..<100).contains(lost))
        #expect(log.lostLines == lost)
        // Reports may be between the lines, because the writer makes room meanwhile.
        var lines: [String] = []
        while lines.count(where: { $0.hasSuffix(text) }) < 100 - lost { lines += channel.lines(1) }
        log.info("after")
        while lines.last?.hasSuffix(" info after") != true { lines += channel.lines(1) }
        #expect(lines.count { $0.hasSuffix(text) } == 100 - lost)
        let reports = lines.filter { $0.hasPrefix("1970-01-01T00:00:00.000Z warning log lines were lost lost=") }
        #expect(reports.compactMap { $0.split(separator: "=").last.flatMap { Int($0) } }.reduce(0, +) == lost)
        #expect(lines.count == 100 - lost + reports.count + 1)
        #expect(sink.lostLines == lost)
    }

    @Test func flushingWaitsForAllLinesButNotForTheReader() {
        let sink = channel.sink()
        let log = log(sink)
        for number in 0..<200 { log.error("line \(number)") }
        sink.flush(within: .seconds(60))
        #expect(channel.contents().split(separator: "\n").count == 200)
        // More than the pipe holds.
        for _ in 0..<100 { log.error(String(repeating: "x", count: 3000)) }
        sink.flush(within: .milliseconds(1))
        #expect(channel.lines(100).count == 100)
        sink.flush(within: .seconds(60))
    }

    @Test func aClosedSinkDiscardsItsLines() {
        let sink = channel.sink()
        let log = log(sink)
        for _ in 0..<100 { log.error(String(repeating: "x", count: 3000)) }
        sink.close()
        _ = channel.contents()
        log.error("late")
        sink.flush(within: .seconds(60))
        #expect(channel.contents().isEmpty)
    }

    @Test func aClosedReaderIsIgnored() {
        signal(SIGPIPE, SIG_IGN)
        channel.closeReader()
        let sink = channel.sink()
        for _ in 0..<3 { log(sink).info("nobody reads this") }
        sink.flush(within: .seconds(60))
        #expect(channel.hasNoReader)
        // The third line is behind the report of the others, which is lost too.
        #expect(sink.lostLines >= 3)
    }

    @Test func anInvalidDescriptorIsIgnored() {
        let sink = FileDescriptorLogSink(descriptor: -1)
        log(sink).error("nobody reads this")
        sink.flush(within: .seconds(60))
        #expect(sink.lostLines == 1)
        sink.close()
    }
}

/// The lines that the queue of a log takes, and the lines that it loses.
@Suite struct LogQueueTests {
    private let notice = { (lost: Int) -> [UInt8] in Array("lost \(lost)".utf8) }

    private func text(_ line: [UInt8]?) -> String? { line.map { String(decoding: $0, as: UTF8.self) } }

    @Test func theFirstLineStartsTheWriterAndLaterOnesWakeIt() {
        var queue = LogQueue(capacity: 100)
        #expect(queue.isIdle)
        #expect(queue.append([1], afterLoss: notice) == .startWriter)
        #expect(queue.append([2], afterLoss: notice) == .none)
        #expect(queue.next() == [1])
        #expect(queue.next() == [2])
        // The second line may not be written yet.
        #expect(!queue.isIdle)
        #expect(queue.next() == nil)
        #expect(queue.isIdle)
        #expect(queue.append([3], afterLoss: notice) == .wakeWriter)
        #expect(queue.next() == [3])
        #expect(queue.next() == nil)
        queue.writerHasEnded()
        #expect(queue.append([4], afterLoss: notice) == .startWriter)
    }

    @Test func lostLinesAreReportedOnceHalfOfTheQueueIsFree() {
        var queue = LogQueue(capacity: 40)
        let line = [UInt8](repeating: 0, count: 10)
        for _ in 0..<6 { _ = queue.append(line, afterLoss: notice) }
        #expect(queue.lostLines == 2)
        for expected in [3, 4] {
            #expect(queue.next() == line)
            // One or two lines fit, but the queue would be full again at once.
            _ = queue.append(line, afterLoss: notice)
            #expect(queue.lostLines == expected)
        }
        #expect(queue.next() == line)
        _ = queue.append([7], afterLoss: notice)
        #expect(queue.next() == line)
        #expect(text(queue.next()) == "lost 4")
        #expect(queue.next() == [7])
        #expect(queue.next() == nil)
        #expect(queue.lostLines == 4)
    }

    @Test func theOrderIsKeptThroughManyRounds() {
        var queue = LogQueue(capacity: 1 << 20)
        var (added, taken) = (0, 0)
        for round in 0..<500 {
            for _ in 0..<(round % 7) {
                _ = queue.append(Array("\(added)".utf8), afterLoss: notice)
                added += 1
            }
            for _ in 0..<(round % 5) {
                guard let line = queue.next() else { continue }
                #expect(text(line) == "\(taken)")
                taken += 1
            }
        }
        while queue.next() != nil { taken += 1 }
        #expect(taken == added && queue.lostLines == 0)
    }
}
