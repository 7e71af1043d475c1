import Dispatch
import Locks
import Synchronization

/// Checkpoints the WAL on its own thread while the writer continues.
///
/// The WAL restarts only if all of it is checkpointed while nobody writes. So this runs until little is left, and the
/// writer checkpoints the rest between two transactions.
final class Checkpointer: Sendable {
    /// The backlog in pages that takes no longer than a transaction.
    private static let smallBacklog = 32
    /// If the backlog is not small after this many passes, the writer must finish the checkpoint anyway.
    private static let maxPasses = 4

    private let path: String
    private let vfs: String?
    private let watch: FileWatch
    private let queue = DispatchQueue(label: "journal.checkpointer")
    // The connection is opened on first use. Only the queue uses it, so the lock is never contended.
    private let connection: Locked<Connection?> = Locked(nil)
    private let hasBegun = Atomic(false)

    /// - Parameters:
    ///   - path: a database that the writer has opened and checked.
    ///   - vfs: the name of SQLite's VFS; nil for the default.
    ///   - watch: knows whether the path still leads to the writer's file.
    init(_ path: String, vfs: String?, _ watch: FileWatch) {
        self.watch = watch
        self.path = path
        self.vfs = vfs
    }

    enum Extent {
        /// One pass over the pages that are in the WAL now. Many small checkpoints delay commits less than a large one.
        case pass
        /// Passes until little is left, so that the writer can finish the checkpoint.
        case whole
    }

    /// Starts a checkpoint, unless one is under way.
    ///
    /// - Parameter done: called if all is to be checkpointed, when little is left, or if that fails. ``end()`` must follow.
    func begin(_ extent: Extent, _ done: @escaping @Sendable () -> Void) {
        guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
        queue.async { [self] in
            connection.withLock { runPasses(&$0, extent == .pass ? 1 : Self.maxPasses) }
            if extent == .pass { end() } else { done() }
        }
    }

    /// Call this after the writer has finished the checkpoint.
    func end() { hasBegun.store(false, ordering: .relaxed) }

    /// Ignores errors: the writer will meet and report them.
    private func runPasses(_ connection: inout Connection?, _ count: Int) {
        var done = 0
        for _ in 0..<count {
            guard let known = try? connection ?? opened(), watch.lookUp() == nil else { return }
            connection = known
            guard let pass = try? known.checkpoint() else { return }
            // SQLite syncs the file only after a checkpoint of the whole WAL. That sync would be a long one, and commits would wait
            // for the disk meanwhile.
            known.syncDatabase()
            guard pass.done - done > Self.smallBacklog else { return }
            done = pass.done
        }
    }

    private func opened() throws(SQLiteError) -> Connection {
        let connection = try Connection(path, .write, vfs: vfs)
        connection.growInSteps()
        // A connection that has read nothing yet does not know that there is a WAL, and would checkpoint nothing.
        _ = try connection.integer("SELECT count(*) FROM meta")
        return connection
    }

    /// Waits for a running checkpoint and closes the connection.
    func close() { queue.sync { connection.withLock { $0 = nil } } }
}
