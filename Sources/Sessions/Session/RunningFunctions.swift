import CPlatform
import CPortable

/// Finds functions of stores that do not return: reducers, middlewares, interceptors, selectors, and the functions of access and members.
/// They hold their sessions, but for a selector of an earlier state.
///
/// The stores only count in the notes of their threads that a function begins or ends; see `FaultNote.h`. So this costs them next to
/// nothing, and it works while all event loops stand still. An `AsyncStore` watches its reducer itself.
package struct RunningFunctions: Sendable {
    /// A function that has run for long.
    package struct Stall: Sendable, Hashable {
        /// The name of the kind.
        package let store: String
        /// The type of the action, `access` or `members` for these functions, or `selector` and the name of one; empty if it is not known.
        package let type: String
        /// As the log names it.
        package let session: String
    }

    private struct Run: Sendable {
        let count: UInt64
        let since: Int
        var isReported = false
    }

    private static let maxThreads = 1024
    private let limit: Int
    /// By the numbers of their threads.
    private var runs: [UInt64: Run] = [:]

    /// - Parameter limit: how long a function may run, in milliseconds.
    package init(limit: Int = 5000) { self.limit = limit }

    /// Looks which functions run.
    ///
    /// - Parameter now: in milliseconds of a clock that nobody sets.
    /// - Returns: those that have run for too long, each once.
    package mutating func look(now: Int) -> [Stall] {
        var stalls: [Stall] = []
        var next: [UInt64: Run] = [:]
        for found in Self.current {
            var run = Run(count: found.count, since: now)
            if let known = runs[found.thread], known.count == found.count { run = known }
            if !run.isReported, now - run.since >= limit, let stall = Stall(found) {
                run.isReported = true
                stalls.append(stall)
            }
            next[found.thread] = run
        }
        runs = next
        return stalls
    }

    private static var current: [fault_note_run] {
        [fault_note_run](unsafeUninitializedCapacity: maxThreads) { buffer, count in
            count = fault_note_runs(buffer.baseAddress, buffer.count)
        }
    }
}

extension RunningFunctions.Stall {
    /// Nil if the function has returned meanwhile.
    fileprivate init?(_ run: fault_note_run) {
        var note = fault_note()
        guard fault_note_of_run(run, &note), let store = note.store else { return nil }
        self.init(
            store: String(cString: store), type: note.type.map { String(cString: $0) } ?? "",
            session: withUnsafeBytes(of: note.session) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
}
