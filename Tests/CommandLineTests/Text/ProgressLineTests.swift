import CommandLine
import Journal
import Testing

@Suite struct ProgressLineTests {
    /// A terminal and a clock that stands still until it is set.
    private final class Terminal {
        private(set) var written = ""
        var now = ContinuousClock.now

        var surroundings: ProgressLine.Surroundings {
            ProgressLine.Surroundings(write: { self.written += $0 }, now: { self.now })
        }

        /// The text that was written since the last call.
        func take() -> String {
            defer { written = "" }
            return written
        }
    }

    private static func sessions(_ done: Int, of total: Int? = 200) -> StorageProgress {
        StorageProgress(.readingSessions, done, of: total)
    }

    @Test func shortWorkShowsNothing() {
        let terminal = Terminal()
        let line = ProgressLine(terminal.surroundings)
        terminal.now += .milliseconds(499)
        line.report(Self.sessions(1))
        line.hide()
        #expect(terminal.take() == "")
    }

    @Test func longWorkIsOneLineThatIsRewrittenAndRemoved() {
        let terminal = Terminal()
        let line = ProgressLine(terminal.surroundings)
        terminal.now += .milliseconds(500)
        line.report(Self.sessions(50))
        #expect(terminal.take() == "\rsessions: 50 of 200 (25%)\u{1b}[K")
        // Not for each session.
        terminal.now += .milliseconds(99)
        line.report(Self.sessions(51))
        #expect(terminal.take() == "")
        terminal.now += .milliseconds(1)
        line.report(Self.sessions(199))
        #expect(terminal.take() == "\rsessions: 199 of 200 (99%)\u{1b}[K")
        line.hide()
        #expect(terminal.take() == "\r\u{1b}[K")
        line.hide()
        #expect(terminal.take() == "")
    }

    @Test func aHiddenLineAppearsAgain() {
        let terminal = Terminal()
        let line = ProgressLine(terminal.surroundings)
        terminal.now += .seconds(1)
        line.report(Self.sessions(1, of: nil))
        line.hide()
        _ = terminal.take()
        terminal.now += .seconds(1)
        line.report(Self.sessions(2, of: nil))
        #expect(terminal.take() == "\rsessions: 2\u{1b}[K")
    }

    @Test(arguments: [
        (StorageProgress(.checkingPages, nil, of: 1_250_000_000), "checking the pages of 1.2 GB"),
        (StorageProgress(.checkingPages, nil, of: nil), "checking the pages of the file"),
        (StorageProgress(.copyingPages, 0, of: 8192), "copied 0 bytes of 8.1 kB (0%)"),
        (StorageProgress(.copyingPages, 30_000_000, of: 30_000_000), "copied 30.0 MB of 30.0 MB (100%)"),
        (StorageProgress(.readingDocument, 999, of: nil), "read 999 bytes"),
        (StorageProgress(.checkingCommits, 1, of: 3), "checked commits: 1 of 3 (33%)"),
        (StorageProgress(.writingCommits, 2, of: 3), "wrote commits: 2 of 3 (66%)"),
        // A server has added sessions since they were counted.
        (StorageProgress(.readingSessions, 3, of: 2), "sessions: 3 of 3 (100%)"),
        (StorageProgress(.readingSessions, 0, of: 0), "sessions: 0"),
    ])
    func theLineSaysHowFarTheWorkIs(progress: StorageProgress, text: String) {
        let terminal = Terminal()
        let line = ProgressLine(terminal.surroundings)
        terminal.now += .seconds(1)
        line.report(progress)
        #expect(terminal.take() == "\r\(text)\u{1b}[K")
    }

    @Test func withoutATerminalNothingIsShown() {
        let line = ProgressLine(nil)
        line.report(Self.sessions(1))
        line.hide()
    }
}
