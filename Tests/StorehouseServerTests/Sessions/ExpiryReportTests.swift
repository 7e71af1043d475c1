import Observability
import Sessions
import Testing

/// The lines about sessions that have expired.
@Suite struct ExpiryReportTests {
    private let lines = LogLines()
    private var log: Log { Log(level: .info, format: .text, sink: lines) }

    /// The lines that were written, without times.
    private var messages: [String] {
        lines.text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? "" }
    }

    private static func report(idle: Int = 86_400_000, unused: Int = 600_000) -> ExpiryReport {
        var policy = SessionPolicy()
        (policy.idleTimeout, policy.unusedTimeout) = (idle, unused)
        return ExpiryReport(policy)
    }

    @Test func thereIsOneLineAMinuteWithNumbersAndKinds() {
        let report = Self.report()
        report.write(to: log, now: 0)
        #expect(messages.isEmpty)
        report.add(.idle, of: "cinema")
        report.write(to: log, now: 1000)
        for _ in 0..<36 { report.add(.idle, of: "cinema") }
        report.add(.unused, of: "app")
        report.add(.unused, of: nil)
        report.write(to: log, now: 60_999)
        #expect(messages.count == 1)
        report.write(to: log, now: 61_000)
        report.write(to: log, now: 200_000)
        #expect(
            messages == [
                "info 1 session ended because nobody used them for 24 h (sessions.idleTimeout) stores=\"cinema 1\"",
                "info 36 sessions ended because nobody used them for 24 h (sessions.idleTimeout); 2 sessions ended because "
                    + "nobody used them within 10 min of their creation (sessions.unusedTimeout) "
                    + "stores=\"app 1, cinema 36\"",
            ])
    }

    @Test func theLastLineDoesNotWaitForTheMinute() {
        let report = Self.report()
        report.add(.idle, of: nil)
        report.write(to: log, now: 1000)
        report.add(.idle, of: nil)
        report.write(to: log, now: 2000)
        #expect(messages.count == 1)
        report.write(to: log, now: 2000, isLast: true)
        report.write(to: log, now: 2000, isLast: true)
        #expect(messages.count == 2)
    }

    @Test(arguments: [
        (50, "50 ms"), (1000, "1 s"), (90_000, "90 s"), (600_000, "10 min"), (86_400_000, "24 h"),
        (30 * 86_400_000, "30 d"),
    ])
    func aTimeHasTheLargestUnitWithoutAFraction(_ timeout: Int, _ text: String) {
        let report = Self.report(idle: timeout)
        report.add(.idle, of: nil)
        report.write(to: log, now: 0)
        #expect(messages == ["info 1 session ended because nobody used them for \(text) (sessions.idleTimeout)"])
    }
}
