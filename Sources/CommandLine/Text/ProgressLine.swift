package import Journal
import Observability

/// One line on a terminal that says how far long work is. It appears half a second after the work has begun, is rewritten in its place,
/// and must be hidden before anything else is written.
package final class ProgressLine {
    /// The terminal and the clock. Tests replace them.
    package struct Surroundings {
        var write: (String) -> Void
        var now: () -> ContinuousClock.Instant

        package init(write: @escaping (String) -> Void, now: @escaping () -> ContinuousClock.Instant) {
            self.write = write
            self.now = now
        }

        /// Standard error; nil if it is no terminal, or none that can rewrite a line.
        static var standardError: Surroundings? {
            guard Console.canRewriteErrors else { return nil }
            return Surroundings(write: Console.writeToTerminal, now: { .now })
        }
    }

    private static let delay = Duration.milliseconds(500)
    private static let pause = Duration.milliseconds(100)

    private let surroundings: Surroundings?
    private var next: ContinuousClock.Instant
    private var isShown = false

    /// - Parameter surroundings: nil to show nothing.
    package init(_ surroundings: Surroundings?) {
        self.surroundings = surroundings
        next = (surroundings?.now() ?? .now) + Self.delay
    }

    package func report(_ progress: StorageProgress) {
        guard let surroundings else { return }
        let now = surroundings.now()
        guard now >= next else { return }
        next = now + Self.pause
        isShown = true
        surroundings.write("\r\(progress.text)\(Self.eraseToEnd)")
    }

    /// Removes the line. The next report shows it again.
    package func hide() {
        guard isShown else { return }
        isShown = false
        surroundings?.write("\r" + Self.eraseToEnd)
    }

    private static let eraseToEnd = "\u{1b}[K"
}

extension StorageProgress {
    /// `copied 12 MB of 30 MB (40%)`
    fileprivate var text: String {
        switch work {
        case .checkingPages: "checking the pages of \(total.map(Self.bytes) ?? "the file")"
        case .copyingPages: "copied \(counts(Self.bytes))"
        case .readingSessions: "sessions: \(counts(\.description))"
        case .readingDocument: "read \(counts(Self.bytes))"
        case .checkingCommits: "checked commits: \(counts(\.description))"
        case .writingCommits: "wrote commits: \(counts(\.description))"
        }
    }

    private func counts(_ text: (Int) -> String) -> String {
        let done = done ?? 0
        guard let total, total > 0 else { return text(done) }
        // A server may add to what is counted.
        return "\(text(done)) of \(text(max(total, done))) (\(done * 100 / max(total, done))%)"
    }

    /// `1.2 MB`
    private static func bytes(_ count: Int) -> String {
        guard
            let (unit, name) = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")].first(where: { count >= $0.0 })
        else { return "\(count) bytes" }
        return "\(count / unit).\(count % unit * 10 / unit) \(name)"
    }
}
