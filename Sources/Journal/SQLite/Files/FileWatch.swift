import Dispatch
import Locks
import Platform
import Synchronization

/// Watches whether the files that a journal has open still have their names.
///
/// A file that somebody has deleted, moved or replaced can still be written and synced as long as it is open. But no later process
/// finds what was written, and another server may use the file that has the name now. So nothing may be acknowledged any more.
final class FileWatch: Sendable {
    /// Files that have lost their names.
    struct Loss: Sendable, Equatable {
        /// One for each, for the log.
        let detail: String
        /// Whether only the WAL is gone: then this process is still the only one that uses the database.
        let isOnlyLog: Bool
    }

    private struct File: Sendable {
        let path: String
        let isLog: Bool
        let identity: FileIdentity
    }

    private struct State {
        var loss: Loss?
        /// When the files were last looked up.
        var time: ContinuousClock.Instant?
    }

    /// How often the files are looked up before transactions at most: to do so takes some microseconds.
    private static let distance = Duration.milliseconds(25)

    private let files: [File]
    private let report: @Sendable (StorageEvent) -> Void
    private let queue = DispatchQueue(label: "journal.files")
    private let isEnded = Atomic(false)
    // Whether there is a loss, for those that must not wait for a lock.
    private let lost = Atomic(false)
    // Guards the result. Nothing is called while it is held.
    private let state = Locked(State())

    /// - Parameters:
    ///   - path: the database as the configuration names it. A later process would look for it there.
    ///   - file: the database, which is open, so that its WAL and its shared memory exist.
    ///   - lock: the lock on it.
    init(
        _ path: String, _ file: StorageFile, _ lock: StorageLock, _ report: @escaping @Sendable (StorageEvent) -> Void
    ) throws(StorageError) {
        self.report = report
        var files: [File] = []
        for suffix in ["", "-wal", "-shm"] {
            guard let identity = FileIdentity(file.path + suffix) else { continue }
            files.append(File(path: file.path + suffix, isLog: suffix == "-wal", identity: identity))
        }
        if let identity = lock.identity {
            files.append(File(path: file.path + "-lock", isLog: false, identity: identity))
        }
        // A link among the directories may lead elsewhere later.
        if path != file.path, let database = files.first, database.path == file.path {
            files.append(File(path: path, isLog: false, identity: database.identity))
        }
        self.files = files
        if let loss = found() { throw .inaccessible(path: path, detail: loss.detail) }
    }

    /// Looks the files up again and again, so that a loss is noticed although nobody writes.
    ///
    /// - Parameter body: called each time with what is lost.
    func begin(every interval: DispatchTimeInterval, _ body: @escaping @Sendable (Loss) -> Void) {
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
            guard let self, !isEnded.load(ordering: .relaxed) else { return }
            if let loss = lookUp() { body(loss) }
            begin(every: interval, body)
        }
    }

    /// No event is reported any more.
    func end() { isEnded.store(true, ordering: .relaxed) }

    /// Whether files have lost their names, as far as is known.
    var isLost: Bool { lost.load(ordering: .relaxed) }

    /// The files that have lost their names; nil if none has. They are not looked up if that was done a moment ago.
    func loss(at now: ContinuousClock.Instant) -> Loss? {
        let isRecent = state.withLock { state in state.time.map { now < $0 + Self.distance } ?? false }
        return isRecent && !isLost ? nil : lookUp(at: now)
    }

    /// Looks the files up, and reports what has changed.
    @discardableResult
    func lookUp(at now: ContinuousClock.Instant = .now) -> Loss? {
        let loss = found()
        let wasLost = state.withLock { state in
            defer { state = State(loss: loss, time: now) }
            return state.loss != nil
        }
        lost.store(loss != nil, ordering: .relaxed)
        guard !isEnded.load(ordering: .relaxed) else { return loss }
        if let loss, !wasLost { report(.replaced(loss.detail)) }
        if loss == nil, wasLost { report(.recovered) }
        return loss
    }

    private func found() -> Loss? {
        let lost = files.compactMap { file in
            Self.problem(of: file).map { (text: "\(file.path) \($0)", isLog: file.isLog) }
        }
        guard !lost.isEmpty else { return nil }
        return Loss(detail: lost.map(\.text).joined(separator: ", "), isOnlyLog: lost.allSatisfy(\.isLog))
    }

    private static func problem(of file: File) -> String? {
        if let found = FileIdentity(file.path) { return found == file.identity ? nil : "is another file now" }
        switch errno {
        case ENOENT, ENOTDIR: return "is gone"
        // The system had no answer. It is asked again.
        case EINTR, ENOMEM, EIO: return nil
        default: return "cannot be found: \(systemError())"
        }
    }
}
