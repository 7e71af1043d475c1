import Observability
import Platform
import Testing

@Suite struct FileDescriptorLogSinkTests {
    private let channel = LogPipe()

    private func log(writeTimeout: Int32 = 0) -> Log {
        Log(level: .info, format: .text, sink: channel.sink(writeTimeout: writeTimeout), clock: { 0 })
    }

    @Test func aLineArrivesWhole() {
        log().info("hello")
        #expect(channel.contents() == "1970-01-01T00:00:00.000Z info hello\n")
    }

    @Test func linesOfManyThreadsDoNotMix() async {
        let log = log(writeTimeout: 5000)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for _ in 0..<50 { log.info(String(repeating: "\(writer)", count: 100)) }
                }
            }
        }
        let lines = channel.contents().split(separator: "\n")
        #expect(lines.count == 400)
        #expect(lines.allSatisfy { Set($0.suffix(100)).count == 1 && $0.count == 130 })
    }

    @Test func aFullPipeLosesLinesAndReportsTheirNumber() {
        let log = log(writeTimeout: 1)
        let text = String(repeating: "x", count: 3000)
        for _ in 0..<100 { log.info(text) }
        let kept = channel.contents().split(separator: "\n")
        #expect((1..<100).contains(kept.count))
        log.info("after")
        #expect(
            channel.contents() == """
                1970-01-01T00:00:00.000Z warning log lines were lost lost=\(100 - kept.count)
                1970-01-01T00:00:00.000Z info after

                """)
    }

    @Test func aClosedReaderIsIgnored() {
        signal(SIGPIPE, SIG_IGN)
        channel.closeReader()
        for _ in 0..<3 { log().info("nobody reads this") }
        #expect(channel.hasNoReader)
    }

    @Test func anInvalidDescriptorIsIgnored() {
        let log = Log(level: .info, format: .text, sink: FileDescriptorLogSink(descriptor: -1), clock: { 0 })
        log.error("nobody reads this")
        #expect(channel.contents().isEmpty)
    }
}
