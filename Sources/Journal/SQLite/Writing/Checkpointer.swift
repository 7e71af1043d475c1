import Dispatch
import Locks
import Synchronization

/// Takes the log over into the file on a thread of its own, while the writer goes on.
///
/// The log begins anew only where all of it has been taken over and nobody writes. So this goes on until little is left, which
/// the writer does between two transactions.
final class Checkpointer: Sendable {
    /// So few pages take no longer than a transaction.
    private static let little = 256
    /// Where more than that comes all the time, it is the writer's turn.
    private static let mostPasses = 4

    private let path: String
    private let vfs: String?
    private let queue = DispatchQueue(label: "journal.checkpointer")
    // Guards the connection, which is opened when it is first needed and only the queue uses: nobody ever waits for it.
    private let connection: Locked<Connection?> = Locked(nil)
    private let hasBegun = Atomic(false)

    /// - Parameters:
    ///   - path: of a database that is in use already, so that it is one of ours.
    ///   - vfs: the name of what SQLite reads and writes through; nil for the system itself.
    init(_ path: String, vfs: String?) {
        self.path = path
        self.vfs = vfs
    }

    /// Begins, unless it has begun and ``end()`` was not called since: two at a time would only be in each other's way.
    ///
    /// - Parameter done: called when little is left, or it does not work now.
    func begin(_ done: @escaping @Sendable () -> Void) {
        guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
        queue.async { [self] in
            connection.withLock { takeOver(&$0) }
            done()
        }
    }

    /// The writer has done what was left.
    func end() { hasBegun.store(false, ordering: .relaxed) }

    /// What does not work is left to the writer, which tells of it.
    private func takeOver(_ connection: inout Connection?) {
        var done = 0
        for _ in 0..<Self.mostPasses {
            guard let known = try? connection ?? Connection(path, .write, vfs: vfs) else { return }
            connection = known
            guard let pass = try? known.checkpoint(), pass.done - done > Self.little else { return }
            done = pass.done
        }
    }

    /// Lets go of the file, as soon as it can.
    func close() { queue.sync { connection.withLock { $0 = nil } } }
}
